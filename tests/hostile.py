"""Text and link parameters as nobody should send them, drawn from a seed."""

from random import Random

from explorer.settings.parameters import PARAMETERS

# A letter that no text of the app has: where it stands outside code, user text came alive.
MARK = "ꙮ"
PIECES = (
    *(
        "<b>x</b>",
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "</div>",
        "&lt;&#0;",
    ),
    *("**x**", "# x", "> x", "- x", "`x`", "``", "```py", "[x](http://e.org)", "![x](//e.org)"),
    *(
        ":red[x]",
        ":material/face:",
        "| a | b |",
        "$x$",
        "$$",
        r"\frac{1}{0}",
        r"\href{x}{y}",
        "%{z}",
    ),
    *(
        "'; DROP TABLE x; --",
        '" OR 1=1',
        "../../etc/passwd",
        r"C:\NUL",
        "file:///etc",
        "{0}",
        "{x}",
    ),
    *(
        "__class__",
        "\0",
        "\x1b[31m",
        "\x7f",
        "\u202e",
        "\u2066",
        "\u2069",
        "\u200f",
        "\u200d",
        "\ufeff",
    ),
    *(
        "\u0301",
        "e\u0301\u0302",
        "\u20e3",
        "\ufe0f",
        "👍🏽",
        "👨\u200d👩\u200d👧",
        "🇨🇳",
        "\U000e0061",
        "ﷺ",
    ),
    *(
        "我爱深度学习",
        "ก็",
        "שלום",
        "مرحبا",
        "\u3164",
        "\u2800",
        "\u2028",
        "\u2029",
        "\x85",
        "\r",
        "\t",
    ),
    *(
        "3",
        "1e400",
        "-0",
        "٣",
        "²",
        "½",
        "1,000",
        "2024-01-01",
        "<pad>",
        "<s>",
        "nan",
        "inf",
        "a" * 300,
    ),
)
NUMBERS = (
    *("-1", "0", "1", "2", "3", "4", "7", "8", "12", "63", "64", "512", "1024", "4096", "99" * 50),
    *(
        "inf",
        "-inf",
        "nan",
        "1e400",
        "1e-9",
        "8.0",
        "0x10",
        "1_0",
        "٣",
        "²",
        " 8 ",
        "+8",
        "",
        "--8",
    ),
    *("true", "TRUE", "None", "null", "[]", "{}", "0,1,2", "1;2", "scores:0,0,1,1", "W_E:15,3"),
)


def text(random: Random, pieces: int = 12) -> str:
    """Some pieces with marks, spaces and line breaks between them; now and then 100 KB of them."""
    joined = "".join(
        random.choice(PIECES) + random.choice((MARK, " ", f" {MARK} ", "\n", ""))
        for _ in range(random.randrange(pieces))
    )
    return joined * (100_000 // max(len(joined), 1)) if random.random() < 0.03 else joined


def value(random: Random, name: str) -> str:
    """A text, a number in some way of writing it, or what a parameter really takes."""
    kind = random.randrange(4)
    if kind == 0:
        return text(random)
    return PARAMETERS[name].default if kind == 1 else random.choice(NUMBERS)


def link(random: Random) -> dict[str, str | list[str]]:
    """Parameters of a link: some of those there are, one of them twice, and some that are none."""
    found: dict[str, str | list[str]] = {
        name: value(random, name) for name in PARAMETERS if random.random() < 0.25
    }
    twice = random.choice(list(PARAMETERS))
    return found | {
        twice: [value(random, twice), value(random, twice)],
        random.choice(PIECES): text(random),
    }
