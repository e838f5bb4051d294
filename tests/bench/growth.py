"""Prints how the CPU time of a step grows with T and with d_model, beside what theory says.

python -m tests.bench.growth

A step is one page of the explorer, for a run that nobody asked for before: every turn has another
sentence, of T words. h is 8; T is 64 where d_model grows, d_model 64 where T grows. It is the
fastest of some: whatever else a machine does can only add. Beside it stands `attend` alone, the
fastest of many, and the products of two numbers that theory says it
takes: 4·T·d_model² for the projections, 2·T²·d_model for the scores and the mix of values. `grown`
is how many times the line above.
"""

import asyncio
import time

import torch

from explorer.core import Config, attend, make_params
from tests.bench.client import Server, Viewer, serve, viewer
from tests.bench.load import sentence

TOKENS = (8, 16, 32, 64)
D_MODELS = (8, 16, 32, 64, 128, 256, 512, 1024)
ROUNDS = 25
SLUG = "scores"


async def step_ms(server: Server, tab: Viewer, T: int, d_model: int, turn: int) -> float:
    """The CPU time of the server for one step, of a sentence that comes only once."""
    words = sentence(T * 10_000 + d_model * 100 + turn, T)
    before = server.cpu_ms()
    run = await tab.step(f"page={SLUG}&lang=en&h=8&d_model={d_model}&sentences={words}")
    if not run.count("plotly_chart"):
        raise RuntimeError(f"T {T}, d_model {d_model}: no charts")
    await asyncio.sleep(0.1)  # what is left to do after the last message
    return server.cpu_ms() - before


def attend_ms(T: int, d_model: int) -> float:
    """The time of the layer alone, in one thread as the server runs it."""
    config = Config(sentences=(sentence(0, T),), d_model=d_model, h=8)
    params, times = make_params(config), []
    for _ in range(30):
        start = time.perf_counter()
        attend(config, params)
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def products(T: int, d_model: int) -> float:
    """Millions of multiplications of the layer (h·d_k = d_model)."""
    return (4 * T * d_model**2 + 2 * T**2 * d_model) / 1e6


async def measure(sizes: list[tuple[int, int]]) -> dict[tuple[int, int], float]:
    """The fastest for every T and d_model, all sizes in turn."""
    found: dict[tuple[int, int], list[float]] = {size: [] for size in sizes}
    with serve("app.py") as server:
        async with viewer(server.port) as tab:
            for turn in range(ROUNDS + 1):
                for size in sizes:
                    spent = await step_ms(server, tab, *size, turn)
                    if turn:  # the first turn draws the parameters
                        found[size].append(spent)
    return {size: min(spent) for size, spent in found.items()}


def main() -> None:
    torch.set_num_threads(1)
    by_T = [(T, 64) for T in TOKENS]
    by_d = [(64, d_model) for d_model in D_MODELS]
    found = asyncio.run(measure(list(dict.fromkeys(by_T + by_d))))
    for name, sizes in (("T (d_model 64)", by_T), ("d_model (T 64)", by_d)):
        print(f"\n| {name} | step, CPU ms | `attend`, ms | grown | products, M | grown |")
        print("|---|---|---|---|---|---|")
        last = None
        for T, d_model in sizes:
            ms, mults = attend_ms(T, d_model), products(T, d_model)
            grown = [f"{ms / last[0]:.1f}", f"{mults / last[1]:.1f}"] if last else ["", ""]
            last = ms, mults
            cells = [d_model if "T 64" in name else T, f"{found[T, d_model]:.1f}", f"{ms:.2f}"]
            print("|", " | ".join(map(str, [*cells, grown[0], f"{mults:.2f}", grown[1]])), "|")


if __name__ == "__main__":
    main()
