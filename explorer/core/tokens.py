"""Text to tokens to ids: a teaching vocabulary, the same on every machine."""

import hashlib
import unicodedata

import regex
import rjieba

V = 10_000
PAD = "<pad>"
# The worked example of many Chinese introductions; its four words keep the ids they have there.
FIXED_IDS = {PAD: 0, "我": 15, "爱": 256, "深度": 1024, "学习": 4096}

# A run of Han (cut into words by rjieba), a word, a number, or whatever else stands there.
_PIECES = regex.compile(
    r"""(?V1)
    (?P<han> \p{Han}+ )
    | [\p{L}--\p{Han}] [[\p{L}\p{M}\u200c\u200d]--\p{Han}]*
      (?: ['’] [\p{L}--\p{Han}] [[\p{L}\p{M}]--\p{Han}]* )*
    | \p{N}+ (?: [.,]\p{N}+ )*
    | \X
    """,
    regex.VERBOSE,
)
# What shows nothing by itself: controls, spaces, marks, and the letters and signs made to be blank.
_UNSEEN = regex.compile(r"[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]*")


def tokenize(text: str, tokenizer: str = "word") -> list[str]:
    """Cut a sentence into words or into characters (grapheme clusters); spaces are no tokens.

    Joined together, the tokens are the text without its white space (Unicode TR 29 for clusters).

    >>> tokenize("我爱深度学习, GPT-4!")
    ['我', '爱', '深度', '学习', ',', 'GPT', '-', '4', '!']
    >>> tokenize("我爱你", "char")
    ['我', '爱', '你']
    """
    pieces = regex.findall(r"\X", text) if tokenizer == "char" else _words(text)
    return [piece for piece in pieces if not piece.isspace()]


def _words(text: str) -> list[str]:
    # A piece that ends inside a grapheme cluster (a letter before its skin tone, a digit before a
    # vowel sign) goes on to the end of it.
    ends = {cluster.end() for cluster in regex.finditer(r"\X", text)}
    pieces: list[str] = []
    start = end = 0
    for match in _PIECES.finditer(text):
        for piece in rjieba.cut(match[0]) if match["han"] else [match[0]]:
            end += len(piece)
            if end in ends:
                pieces.append(text[start:end])
                start = end
    return pieces


def token_id(token: str) -> int:
    """The row of W_E that a token gets, 0 … V−1: fixed for a few, else from a hash of its text.

    >>> token_id("深度"), token_id("<pad>")
    (1024, 0)
    """
    if token in FIXED_IDS:
        return FIXED_IDS[token]
    digest = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
    return 1 + int.from_bytes(digest[:8], "big") % (V - 1)


def visible(token: str) -> str:
    """A token as it can be seen: one with nothing to see is written as its code points.

    >>> visible("爱"), visible("\\u202e"), visible("\\0")
    ('爱', 'U+202E', 'U+0000')
    """
    if _UNSEEN.fullmatch(token):
        return " ".join(f"U+{ord(char):04X}" for char in token)
    return "".join(char for char in token if unicodedata.category(char) not in ("Cc", "Cs"))
