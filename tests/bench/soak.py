"""Prints how a server's memory grows while one reader changes the configuration again and again.

python -m tests.bench.soak
python -m tests.bench.soak --changes 400

Every change is a new run: another seed, sentence, size or page. The caches are made small, so that
they are full early and what still grows would grow for ever. Exit status 1 where the memory of the
second half grows by more than 5 KB a change.
"""

import argparse
import asyncio
import os
import sys
from itertools import islice
from random import Random
from urllib.parse import urlencode

import numpy as np
import psutil

from explorer.core.limits import PREFIX
from explorer.labs import LABS
from explorer.steps import STEPS
from tests.bench.client import serve, viewer

CHANGES = 2_000
MOST = 5_000  # bytes a change
CACHES = {"CACHED_MB": "16", "PICTURES_MB": "2"}  # so small that they are soon full
SLUGS = [page.slug for page in STEPS + LABS]
WORDS = ["我", "爱", "深度", "学习", "the", "cat", "sat", "on", "a", "mat", "3", "5"]


def changes(seed: int):
    """Endless links, each to a run that was not asked for before."""
    random = Random(seed)
    while True:
        slug = random.choice(SLUGS)
        h = random.choice((1, 2, 4))
        yield urlencode(
            {
                "page": slug,
                "guess": f"{slug}:skip",
                "lang": random.choice(("zh", "en")),
                "seed": random.randrange(2**31),
                "sentences": " ".join(random.choices(WORDS, k=random.randrange(2, 12))),
                "d_model": h * random.choice((2, 4, 8)),
                "h": h,
                "tab": random.choice(("code", "numbers")),
            }
        )


async def soak(count: int) -> list[int]:
    """The server's memory in bytes after every change."""
    os.environ |= {PREFIX + name: size for name, size in CACHES.items()}
    found = []
    with serve("app.py") as server:
        (process,) = (
            each.pid
            for each in psutil.net_connections("tcp")
            if each.status == psutil.CONN_LISTEN and each.laddr.port == server.port
        )
        async with viewer(server.port) as tab:
            for query in islice(changes(0), count):
                run = await tab.step(query)
                if run.count("exception"):
                    raise RuntimeError(f"the script raised at {query}")
                found.append(psutil.Process(process).memory_info().rss)
    return found


def slope(sizes: list[int]) -> float:
    """Bytes a change, by the line that fits the second half best."""
    half = sizes[len(sizes) // 2 :]
    return float(np.polyfit(range(len(half)), half, 1)[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--changes", type=int, default=CHANGES)
    sizes = asyncio.run(soak(parser.parse_args().changes))
    for done in range(0, len(sizes), max(1, len(sizes) // 10)):
        print(f"after {done + 1:5} changes: {sizes[done] / 1e6:7.1f} MB")
    print(f"after {len(sizes):5} changes: {sizes[-1] / 1e6:7.1f} MB")
    print(f"second half: {slope(sizes) / 1e3:.2f} KB a change, at most {MOST / 1e3:g}")
    sys.exit(slope(sizes) > MOST)


if __name__ == "__main__":
    main()
