"""Prints seconds and bytes to the first chart beside a plain app with Streamlit's defaults.

python -m tests.bench.first_visit

One browser visits both in turn, each time with nothing stored. Bytes are those on the wire: files
as they were encoded, and the messages on the websocket. The very first visit is told apart: for it
a server may still have to load something. Exit status 1 where the explorer is slower or takes more
than half the bytes.
"""

import shutil
import statistics
import sys
import time
from dataclasses import dataclass, field

from playwright.sync_api import Browser, sync_playwright

from tests.bench.client import Server, serve
from tests.browser.conftest import FLAGS, NAMES

ROUNDS = 7
DRAWN = "() => document.querySelector('.js-plotly-plot .main-svg')"
PATIENCE = 60_000  # milliseconds
MAX_TIME, MAX_BYTES = 1, 0.5  # ratios


@dataclass
class Visits:
    """What visits to one app took."""

    server: Server
    seconds: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)

    def visit(self, browser: Browser) -> None:
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
        wire.on("Network.loadingFinished", count)
        wire.on("Network.webSocketFrameReceived", count)
        start = time.monotonic()
        page.goto(f"http://127.0.0.1:{self.server.port}/")
        page.wait_for_function(DRAWN, timeout=PATIENCE)
        self.seconds.append(time.monotonic() - start)
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
        explorer, plain = Visits(server), Visits(plain_server)
        for _ in range(ROUNDS):
            explorer.visit(browser)
            plain.visit(browser)
        browser.close()
    print(
        f"| first chart, median of {ROUNDS} visits | explorer | plain | ratio |\n|---|---|---|---|"
    )
    times = [statistics.median(app.seconds) for app in (explorer, plain)]
    sizes = [statistics.median(app.megabytes) for app in (explorer, plain)]
    ratio = statistics.median(a / b for a, b in zip(explorer.seconds, plain.seconds, strict=True))
    first = explorer.seconds[0], plain.seconds[0]
    rows = {
        "seconds": (*times, ratio),
        "seconds, very first visit": (*first, first[0] / first[1]),
        "MB": (*sizes, sizes[0] / sizes[1]),
    }
    for name, cells in rows.items():
        print(f"| {name} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |")
    sys.exit(ratio > MAX_TIME or sizes[0] > MAX_BYTES * sizes[1])


if __name__ == "__main__":
    main()
