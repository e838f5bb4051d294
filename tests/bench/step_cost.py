"""Prints what every step costs the server beside a plain app of Streamlit's, in one run.

python -m tests.bench.step_cost
python -m tests.bench.step_cost --query "d_model=64&h=8&sentences=the cat sat on the mat"

A step is a new URL and the run of the script that answers it, sent in full: the viewer claims no
cached messages. CPU time is read from the process's own clock, which counts nanoseconds of every
thread, also of those that ended (Streamlit starts one for each run), so single steps can be
measured and the two servers take turns. A server's clock is read when its next step begins, so
that what it does after the last message (the thread's end, a collection of garbage) counts too;
waiting for the other costs it 0.6 % of a core. Exit status 1 where a limit is broken.
"""

import argparse
import asyncio
import statistics
import sys
from dataclasses import dataclass, field

from explorer.steps import STEPS
from tests.bench.client import Run, Server, Viewer, serve, viewer

ROUNDS = 20
WARM_UP = 3
MAX_RATIO = 2
MAX_KB = 150  # at the default sizes


@dataclass
class App:
    """An app under measurement: what each page must say, and what was found."""

    server: Server
    viewer: Viewer
    words: dict[str, str]
    query: str
    charts: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    clock: list[float] = field(default_factory=list)

    async def turn(self, slug: str) -> None:
        """Read the clock, then go to a page and look whether it came whole."""
        self.clock.append(self.server.cpu_ms())
        run = await self.viewer.step(f"page={slug}&lang=en{self.query}")
        self._check(slug, run)
        self.sizes[slug] = run.size

    def _check(self, slug: str, run: Run) -> None:
        charts = run.count("plotly_chart")
        expected = self.charts.setdefault(slug, charts)
        if run.count("exception"):
            raise RuntimeError(f"{slug}: the script raised; its traceback stands above")
        if not run.says(self.words[slug]):
            raise RuntimeError(f"{slug}: not the page that says {self.words[slug]!r}")
        if charts != expected or not charts:
            raise RuntimeError(f"{slug}: {charts} charts, expected {expected or 'at least 1'}")

    def costs(self) -> dict[str, list[float]]:
        """Milliseconds of CPU of every measured turn; the last turn only closes the one before."""
        spent = [after - before for before, after in zip(self.clock, self.clock[1:], strict=False)]
        slugs = list(self.words)
        measured = spent[WARM_UP * len(slugs) :]
        return {slug: measured[i :: len(slugs)] for i, slug in enumerate(slugs)}


async def measure(query: str) -> tuple[App, App]:
    """Take every step on both apps in turn: explorer, plain, explorer, plain …"""
    slugs = [page.slug for page in STEPS]
    titles = {page.slug: page.title("en") for page in STEPS}
    with serve("app.py") as server, serve("tests/bench/plain_app.py") as plain_server:
        async with viewer(server.port) as tab, viewer(plain_server.port) as plain_tab:
            explorer = App(server, tab, titles, query)
            plain = App(plain_server, plain_tab, dict(zip(slugs, slugs, strict=True)), query)
            for slug in slugs * (WARM_UP + ROUNDS) + slugs[:1]:
                await explorer.turn(slug)
                await plain.turn(slug)
    return explorer, plain


def report(explorer: App, plain: App, max_kb: float) -> bool:
    """Print the table; whether every step keeps the limits."""
    costs, plain_costs, kept = explorer.costs(), plain.costs(), True
    print(f"{'step':<12}{'CPU ms':>8}{'plain':>8}{'ratio':>8}{'KB':>9}{'plain':>8}{'ratio':>8}")
    for slug, cost in costs.items():
        ms, plain_ms = statistics.median(cost), statistics.median(plain_costs[slug])
        kb, plain_kb = explorer.sizes[slug] / 1e3, plain.sizes[slug] / 1e3
        ratio = statistics.median(a / b for a, b in zip(cost, plain_costs[slug], strict=True))
        broken = ["CPU"] * (ratio > MAX_RATIO) + ["bytes"] * (kb > max_kb)
        kept = kept and not broken
        print(
            f"{slug:<12}{ms:8.1f}{plain_ms:8.1f}{ratio:8.2f}"
            f"{kb:9.1f}{plain_kb:8.1f}{kb / plain_kb:8.2f}  {', '.join(broken)}"
        )
    means = [statistics.mean(map(statistics.mean, app.values())) for app in (costs, plain_costs)]
    print(f"mean of all steps, with Python's garbage collections: {means[0]:.1f}, {means[1]:.1f}")
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--query", default="", help="further URL parameters, for other sizes")
    query = parser.parse_args().query
    print(f"One step, median of {ROUNDS} rounds; {query or 'default sizes'}")
    print(f"Limits: CPU ratio at most {MAX_RATIO}; at most {MAX_KB} KB at the default sizes")
    apps = asyncio.run(measure(f"&{query}" if query else ""))
    sys.exit(not report(*apps, max_kb=float("inf") if query else MAX_KB))


if __name__ == "__main__":
    main()
