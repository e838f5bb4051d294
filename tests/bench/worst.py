"""Prints the CPU time of the worst requests that the limits permit, page by page.

python -m tests.bench.worst

Every request has sizes at a limit and a seed of its own, so that no run of it is in a cache. The
clock is the server process's own. Exit status 1 where a request takes longer than it may.
"""

import asyncio
import sys
from urllib.parse import urlencode

from explorer.core.limits import LIMITS, widest
from explorer.labs import LABS
from explorer.steps import STEPS
from tests.bench.client import Server, Viewer, serve, viewer

MOST_MS = 1000
PAGES = STEPS + LABS
LINE = LIMITS.characters // LIMITS.sentences - 1
LONG = " ".join(f"{i:x}" for i in range(LIMITS.tokens))[:LINE]
MANY = "\n".join([LONG] * LIMITS.sentences)
HEADS = LIMITS.elements // LIMITS.tokens**2  # of one long sentence; of many, a part of it
NARROW = 256
SIZES = (
    {"d_model": LIMITS.d_model, "h": 8, "sentences": MANY},
    {"d_model": LIMITS.d_model, "h": HEADS // LIMITS.sentences, "sentences": MANY},
    {"d_model": LIMITS.d_model, "h": HEADS, "sentences": LONG},
    {"d_model": LIMITS.d_model, "h": LIMITS.h, "sentences": MANY},
    {"d_model": 960, "h": 32, "sentences": MANY},  # of all, it has the most divisors
    {"d_model": NARROW, "h": 8, "d_k": widest(NARROW) // 8, "sentences": MANY},
    {"d_model": NARROW, "h": 64, "d_k": widest(NARROW) // 64, "sentences": MANY},
)
PINNED = {"d_model": LIMITS.d_model, "h": HEADS // LIMITS.sentences, "sentences": MANY}
REST = {
    "init": "kaiming",
    "bias": "true",
    "more": "true",
    "tab": "numbers",
    "pick": "normed:0,1,1",
    "until": LIMITS.tokens,
    "query": LIMITS.tokens - 1,
    "keys": 64,
    "width": 512,
    "gain": "2",
    "lang": "en",
}


async def measure(server: Server, tab: Viewer) -> dict[str, list[float]]:
    """Milliseconds of CPU of every page, for each of the sizes."""
    found: dict[str, list[float]] = {}
    seed = 0
    for page in PAGES:
        await tab.step(urlencode({"page": page.slug}))  # what is loaded with the first visit
        for sizes in SIZES:
            seed += 1
            asked = {"page": page.slug, "seed": seed, "guess": f"{page.slug}:skip"}
            asked["pin"] = "?" + urlencode(PINNED | {"seed": -seed % 2**31})
            before = server.cpu_ms()
            run = await tab.step(urlencode(REST | sizes | asked))
            if run.count("exception"):
                raise RuntimeError(f"{asked} {sizes}: the script raised")
            found.setdefault(page.slug, []).append(server.cpu_ms() - before)
    return found


async def ask() -> dict[str, list[float]]:
    """Start a server and ask it for every page."""
    with serve("app.py") as server:
        async with viewer(server.port) as tab:
            return await measure(server, tab)


def main() -> None:
    for i, sizes in enumerate(SIZES):
        told = {name: value for name, value in sizes.items() if name != "sentences"}
        lines = sizes["sentences"].count("\n") + 1
        print(f"({i}) {told}, {lines} × {LIMITS.tokens} tokens")
    found = asyncio.run(ask())
    print(
        f"CPU ms, at most {MOST_MS}{'':<4}" + "".join(f"{f'({i})':>7}" for i in range(len(SIZES)))
    )
    for slug, times in found.items():
        print(f"{slug:<24}" + "".join(f"{ms:7.0f}" for ms in times))
    worst = max(max(times) for times in found.values())
    print(f"worst: {worst:.0f} ms")
    sys.exit(worst > MOST_MS)


if __name__ == "__main__":
    main()
