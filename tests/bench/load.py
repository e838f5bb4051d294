"""Prints how long viewers wait when many look at once, beside a plain app of Streamlit's.

python -m tests.bench.load                                      60 viewers, one process
python -m tests.bench.load --viewers 200 --plain ours defaults  the plain app served in both ways
python -m tests.bench.load --viewers 400 --processes 2          behind nginx, each on its own core
python -m tests.bench.load --viewers 30 --query "d_model=512&h=8" --tokens 64

Every viewer is a session with a sentence of its own. It asks for the next step every 4 s, or as
soon as the last one came where that took longer, through all twelve and over again. Viewers come
ten a second; a viewer's first run is counted apart, all others from when the last viewer is there.
Exit status 1 where a viewer of the explorer was dropped or a run did not come whole.
"""

import argparse
import asyncio
import contextlib
import itertools
import os
import shutil
import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import uvloop

from explorer.steps import STEPS
from tests.bench.client import Run, Server, serve, viewer
from tests.browser.servers import balance

PERIOD = 4  # seconds between two steps of one viewer
ARRIVALS = 10  # viewers a second
SLUGS = [page.slug for page in STEPS]
TITLES = {page.slug: page.title("en") for page in STEPS}
EXPLORER, PLAIN = "app.py", "tests/bench/plain_app.py"
PLAIN_AS = {"ours": "plain, served as ours", "defaults": "plain, Streamlit's defaults"}


@dataclass
class Load:
    """What the viewers of one app saw, and what they cost the machine."""

    words: dict[str, str]  # that each page must say
    charts: dict[str, int] = field(default_factory=dict)  # that each page must have
    first: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    bytes: int = 0
    received: int = 0
    expected: int = 0
    exceptions: int = 0
    broken: int = 0
    dropped: int = 0
    cpu_ms: float = 0
    generator_ms: float = 0
    warm_mb: float = 0
    end_mb: float = 0

    def count(self, slug: str, run: Run, token: str) -> None:
        """Look whether a page came whole, and with the viewer's own sentence, which has `token`."""
        charts = run.count("plotly_chart")
        self.received += charts
        self.expected += self.charts[slug]
        self.exceptions += run.count("exception")
        mine = run.says(self.words[slug]) and run.has_token(token)
        self.broken += charts != self.charts[slug] or not mine

    def whole(self) -> bool:
        """Whether everyone got everything."""
        return not (self.dropped or self.exceptions or self.broken)


def sentence(number: int, tokens: int) -> str:
    """A sentence of so many words that is no other viewer's."""
    name = "".join(chr(ord("a") + int(digit)) for digit in str(number))
    return " ".join(f"{name}x{chr(ord('a') + i % 26) * (1 + i // 26)}" for i in range(tokens))


def url(slug: str, number: int, asked: argparse.Namespace) -> str:
    """What a viewer asks for."""
    return f"page={slug}&lang=en&{asked.query}&sentences={sentence(number, asked.tokens)}"


async def warm_up(servers: list[Server], load: Load, asked: argparse.Namespace) -> None:
    """Take every step once in every process, and note what a whole page is."""
    for server in servers:
        async with viewer(server.port) as tab:
            for slug in SLUGS:
                run = await tab.step(url(slug, asked.viewers, asked))
                load.charts[slug] = run.count("plotly_chart")
                if not load.charts[slug] or not run.says(load.words[slug]):
                    raise RuntimeError(f"{slug}: not the page that says {load.words[slug]!r}")


async def look(port: int, number: int, end: float, load: Load, asked: argparse.Namespace) -> None:
    """One viewer, from coming to the end."""
    own = sentence(number, asked.tokens).split()[0]
    try:
        async with viewer(port, str(number)) as tab:
            for turn, slug in enumerate(itertools.cycle(SLUGS)):
                start = time.monotonic()
                if start > end:
                    return
                run = await tab.step(url(slug, number, asked))
                wait = time.monotonic() - start
                load.count(slug, run, own)
                if not turn:
                    load.first.append(wait)
                elif start > end - asked.seconds:
                    load.waits.append(wait)
                    load.bytes += run.size
                await asyncio.sleep(PERIOD - wait)
    except Exception as error:  # whatever it was, this viewer sees no more
        load.dropped += 1
        print(f"dropped: {error!r}", file=sys.stderr)


async def measure(
    servers: list[Server], port: int, words: dict[str, str], asked: argparse.Namespace
) -> Load:
    """All viewers, for the seconds asked for."""
    load = Load(words)
    await warm_up(servers, load, asked)
    load.warm_mb = sum(server.memory_mb() for server in servers)
    end = time.monotonic() + asked.viewers / ARRIVALS + asked.seconds
    async with asyncio.TaskGroup() as group:
        for number in range(asked.viewers):
            group.create_task(look(port, number, end, load, asked))
            await asyncio.sleep(1 / ARRIVALS)
        clocks = [server.cpu_ms() for server in servers]
        generator = time.process_time()
        await asyncio.sleep(end - time.monotonic())
        load.cpu_ms = sum(server.cpu_ms() for server in servers) - sum(clocks)
        load.generator_ms = (time.process_time() - generator) * 1e3
        load.end_mb = sum(server.memory_mb() for server in servers)
    return load


def run(script: str, configured: bool, words: dict[str, str], asked: argparse.Namespace) -> Load:
    """Start the processes, and nginx before several of them, and load them."""
    with contextlib.ExitStack() as stack:
        cores = range(asked.processes) if asked.processes > 1 else [None]
        servers = [stack.enter_context(serve(script, configured, core)) for core in cores]
        port = servers[0].port
        if len(servers) > 1:
            folder = Path(stack.enter_context(TemporaryDirectory()))
            ports = servers[0].port, servers[1].port
            port = stack.enter_context(balance(ports, folder))
        return uvloop.run(measure(servers, port, words, asked))


def percentile(values: list[float], percent: int) -> float:
    """The value that so many percent of them stay under."""
    return statistics.quantiles(values, n=100)[percent - 1] if len(values) > 1 else float("nan")


def measures(load: Load, asked: argparse.Namespace) -> dict[str, float]:
    """What is compared."""
    steps = max(len(load.waits), 1)
    return {
        "wait for a step, p50, s": percentile(load.waits, 50),
        "wait for a step, p95, s": percentile(load.waits, 95),
        "longest wait, s": max(load.waits, default=float("nan")),
        "wait for the first run, p50, s": percentile(load.first, 50),
        "wait for the first run, p95, s": percentile(load.first, 95),
        "KB a step": load.bytes / steps / 1e3,
        "server CPU a step, ms": load.cpu_ms / steps,
        "server CPU, cores": load.cpu_ms / asked.seconds / 1e3,
        "load generator CPU, cores": load.generator_ms / asked.seconds / 1e3,
        "memory of the warm server, MB": load.warm_mb,
        "memory a viewer adds, MB": (load.end_mb - load.warm_mb) / asked.viewers,
    }


def report(loads: dict[str, Load], asked: argparse.Namespace) -> None:
    """Print one table in Markdown: every app, and the explorer's ratio to each other one."""
    ours, *others = loads
    found = {name: measures(load, asked) for name, load in loads.items()}
    header = [ours, *(word for other in others for word in (other, "ratio"))]
    print(f"| {asked.viewers} viewers, {asked.seconds} s | " + " | ".join(header) + " |")
    print("|---" * (1 + len(header)) + "|")
    for name, value in found[ours].items():
        cells = [f"{value:.3g}"]
        for other in others:
            cells += [f"{found[other][name]:.3g}", f"{value / found[other][name]:.2f}"]
        print(f"| {name} | " + " | ".join(cells) + " |")
    counts = {
        "steps": lambda load: len(load.waits),
        "dropped": lambda load: load.dropped,
        "exceptions": lambda load: load.exceptions,
        "runs not whole": lambda load: load.broken,
        "charts received": lambda load: f"{load.received} of {load.expected}",
    }
    for name, count in counts.items():
        cells = [
            str(count(loads[ours])),
            *(w for other in others for w in (count(loads[other]), "")),
        ]
        print(f"| {name} | " + " | ".join(map(str, cells)) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--viewers", type=int, default=60)
    parser.add_argument("--seconds", type=int, default=60, help="from when all viewers are there")
    parser.add_argument("--query", default="d_model=64&h=8", help="the sizes, as in a link")
    parser.add_argument("--tokens", type=int, default=6, help="of every viewer's sentence")
    parser.add_argument(
        "--processes", type=int, default=1, choices=(1, 2), help="two: behind nginx"
    )
    parser.add_argument("--plain", nargs="*", choices=PLAIN_AS, default=["ours"])
    asked = parser.parse_args()
    missing = [tool for tool in ("nginx", "taskset") if not shutil.which(tool)]
    if asked.processes > 1 and missing:
        sys.exit(f"skipped: {missing[0]} is not installed (Debian's nginx-light, util-linux)")
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    loads = {"explorer": run(EXPLORER, True, TITLES, asked)}
    for how in asked.plain:
        words = {slug: slug for slug in SLUGS}
        loads[PLAIN_AS[how]] = run(PLAIN, how == "ours", words, asked)
    report(loads, asked)
    sys.exit(not loads["explorer"].whole())


if __name__ == "__main__":
    main()
