"""Words in both languages, side by side, and user text made safe to stand among them."""

import re
import unicodedata
from dataclasses import dataclass

import regex

LANGS = ("zh", "en")
ISOLATES = "\u2068\u2069"  # first strong isolate, pop directional isolate
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Text:
    """One message in English and Chinese; both are required, so neither can be forgotten."""

    en: str
    zh: str

    def __call__(self, lang: str, **values: object) -> str:
        """The message in `lang`, its {placeholders} filled in.

        >>> Text(en="{n} tokens", zh="{n} 个词元")("zh", n=4)
        '4 个词元'
        """
        return (self.zh if lang == "zh" else self.en).format(**values)


def as_code(text: str) -> str:
    """User text as Markdown inline code, in which no markup, math or HTML comes alive.

    Controls are written as code points, a leading mark gets a circle to sit on, and text read from
    right to left is isolated, so that it does not reorder what stands around it.

    >>> as_code("a`b")
    '`` a`b ``'
    """
    text = " ".join(text.split()) or " "
    text = CONTROLS.sub(lambda found: f"U+{ord(found[0]):04X}", text)
    if unicodedata.category(text[0])[0] == "M":
        text = "◌" + text
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence, space = "`" * (longest + 1), " " if longest else ""
    code = f"{fence}{space}{text}{space}{fence}"
    right_to_left = any(unicodedata.bidirectional(character) in ("R", "AL") for character in text)
    return f"{ISOLATES[0]}{code}{ISOLATES[1]}" if right_to_left else code


def shorten(text: str, limit: int) -> str:
    """Text cut to `limit` characters (grapheme clusters), the cut shown.

    >>> shorten("attention", 5)
    'atte…'
    """
    if len(text) <= limit:
        return text
    clusters = regex.findall(r"\X", text[: limit * 20])  # of more, the reader would see nothing
    if len(clusters) <= limit and len(text) <= limit * 20:
        return text
    return "".join(clusters[: limit - 1]) + "…"


def spoken(title: str) -> str:
    """The title of a figure as it is read out."""
    return title.replace("<b>", "").replace("</b>", "")


def table(header: list[str], rows: list[tuple[str, ...]]) -> str:
    """A table in Markdown, which costs a tenth of one that goes through a data frame.

    Its cells are our own words and numbers: user text would have to be escaped.
    """
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
