"""Text to tokens to ids: a teaching vocabulary, the same on every machine."""

import hashlib
import unicodedata

import regex
import rjieba

V = 10_000
PAD = "<pad>"
# The worked example of many Chinese introductions; its four words keep the ids they have there.
FIXED_IDS = {PAD: 0, "我": 15, "爱": 256, "深度": 1024, "学习": 4096}

# A run of Han (cut into words by rjieba), a word, a number, or one whole grapheme cluster. No run
# may end between a character and its combining mark: the lookaheads give such a pair to \X.
_PIECES = regex.compile(
    r"""(?V1)
    (?P<han> \p{Han}+ (?![\p{M}\u200d]) )
    | [\p{L}--\p{Han}] [[\p{L}\p{M}\u200c\u200d]--\p{Han}]*
      (?: ['’] [\p{L}--\p{Han}] [[\p{L}\p{M}]--\p{Han}]* )*
    | \p{N}+ (?: [.,]\p{N}+ )* (?![\p{M}\u200d])
    | \X
    """,
    regex.VERBOSE,
)


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
    pieces: list[str] = []
    for match in _PIECES.finditer(text):
        pieces += rjieba.cut(match[0]) if match["han"] else [match[0]]
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
    if any(unicodedata.category(char)[0] not in "CZM" for char in token):
        return "".join(char for char in token if unicodedata.category(char) not in ("Cc", "Cs"))
    return " ".join(f"U+{ord(char):04X}" for char in token)
