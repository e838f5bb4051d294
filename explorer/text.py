"""Words in both languages, side by side, and user text made safe to stand among them."""

import re
from dataclasses import dataclass

LANGS = ("zh", "en")


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

    >>> as_code("a`b")
    '`` a`b ``'
    """
    text = " ".join(text.split()) or " "
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    if not longest:
        return f"`{text}`"
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}"


def shorten(text: str, limit: int) -> str:
    """Text cut to `limit` characters, the cut shown.

    >>> shorten("attention", 5)
    'atte…'
    """
    return text if len(text) <= limit else text[: limit - 1] + "…"


def table(header: list[str], rows: list[tuple[str, ...]]) -> str:
    """A table in Markdown, which costs a tenth of one that goes through a data frame.

    Its cells are our own words and numbers: user text would have to be escaped.
    """
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
