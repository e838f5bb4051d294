"""Prints seconds and bytes to the first chart beside a plain app with Streamlit's defaults.

python -m tests.bench.first_visit

One browser visits both in turn, each time with nothing stored: over loopback, where bytes cost
nothing, and then as over a network. Bytes are those on the wire: files as they were encoded, and
the messages on the websocket. The very first visit is told apart: for it a server may still have
to load something. Exit status 1 where the explorer is slower or takes more than half the bytes.
"""

import shutil
import statistics
import sys
import time
from dataclasses import dataclass, field

from playwright.sync_api import Browser, sync_playwright

from tests.bench.client import Server, serve
from tests.browser.conftest import FLAGS, NAMES

ROUNDS = 15
DRAWN = "() => document.querySelector('.js-plotly-plot .main-svg')"
PATIENCE = 60_000  # milliseconds
MAX_TIME, MAX_BYTES = 1, 0.5  # ratios
MBIT, LATENCY = 50, 20  # megabits a second and milliseconds of the network that is imitated
NETWORK = {
    "offline": False,
    "latency": LATENCY,
    "downloadThroughput": MBIT * 1e6 / 8,
    "uploadThroughput": MBIT * 1e6 / 8,
}


@dataclass
class Visits:
    """What visits to one app took."""

    server: Server
    seconds: list[float] = field(default_factory=list)
    networked: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)

    def visit(self, browser: Browser, times: list[float], **network: float) -> None:
        """Open the app as somebody who was never there, until its first chart is drawn."""
        context, bytes_ = browser.new_context(), 0
        page = context.new_page()
        wire = context.new_cdp_session(page)

        def count(message: dict) -> None:
            nonlocal bytes_
            bytes_ += int(message.get("encodedDataLength", 0))
            data = message.get("response", {}).get("payloadData", "")
            bytes_ += len(data) * 3 // 4  # base64

        wire.send("Network.enable")
        if network:
            wire.send("Network.emulateNetworkConditions", network)
        wire.on("Network.loadingFinished", count)
        wire.on("Network.webSocketFrameReceived", count)
        start = time.monotonic()
        page.goto(f"http://127.0.0.1:{self.server.port}/")
        page.wait_for_function(DRAWN, timeout=PATIENCE)
        times.append(time.monotonic() - start)
        self.megabytes.append(bytes_ / 1e6)
        context.close()


def main() -> None:
    chromium = next(filter(None, map(shutil.which, NAMES)), None)
    if chromium is None:
        sys.exit(f"skipped: no browser found, none of {', '.join(NAMES)}")
    with (
        serve("app.py") as server,
        serve("tests/bench/plain_app.py", configured=False) as plain_server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        browser.new_context().new_page().goto("about:blank")  # it starts only now
        explorer, plain = apps = Visits(server), Visits(plain_server)
        for _ in range(ROUNDS):
            for app in apps:
                app.visit(browser, app.seconds)
        for _ in range(ROUNDS):
            for app in apps:
                app.visit(browser, app.networked, **NETWORK)
        browser.close()
    network = f"seconds, at {MBIT} Mbit/s and {LATENCY} ms"
    rows = {
        "seconds": _compared(explorer.seconds, plain.seconds),
        "seconds, very first visit": _compared(explorer.seconds[:1], plain.seconds[:1]),
        network: _compared(explorer.networked, plain.networked),
        "MB": _compared(explorer.megabytes, plain.megabytes),
    }
    title = f"first chart, median of {ROUNDS} visits"
    print(f"| {title} | explorer | plain | ratio |\n|---|---|---|---|")
    for name, cells in rows.items():
        print(f"| {name} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |")
    sys.exit(rows["seconds"][2] > MAX_TIME or rows["MB"][2] > MAX_BYTES)


def _compared(ours: list[float], others: list[float]) -> tuple[float, float, float]:
    """Both medians, and that of the ratios of visits one after the other."""
    ratio = statistics.median(a / b for a, b in zip(ours, others, strict=True))
    return statistics.median(ours), statistics.median(others), ratio


if __name__ == "__main__":
    main()
