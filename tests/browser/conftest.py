"""A server and a browser for every worker, and pages that keep a list of what went wrong in them.

The browser is the Chromium of this machine; where there is none these tests are skipped, but with
CI=true that is a failure.
"""

import os
import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from .servers import free_port, launch

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 40_000  # milliseconds that anything in the browser may take


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The Chromium of this machine."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        missing = f"no browser found: none of {', '.join(NAMES)} is on the PATH"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE)
        chromium = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running app; at the end its log must hold no traceback."""
    port, log = free_port(), tmp_path_factory.mktemp("server") / "log.txt"
    process = launch(port, log)
    try:
        yield f"http://localhost:{port}"
        assert process.poll() is None, f"the server ended by itself:\n{log.read_text()}"
    finally:
        process.terminate()
        process.wait(30)
    assert "Traceback" not in log.read_text(), log.read_text()


@pytest.fixture(scope="session")
def readers(browser: Browser, server: str) -> Iterator["Readers"]:
    """The browser pages that tests leave to one another: a new one takes three times as long."""
    readers = Readers(browser, server)
    yield readers
    for context in readers.contexts.values():
        context.close()


class Readers:
    """Browser pages by locale, each with the list of what went wrong in it since it was asked for.

    Those of one locale share a context, so that the app's scripts are fetched only once.
    """

    def __init__(self, browser: Browser, server: str):
        self.browser, self.server = browser, server
        self.contexts: dict[str, BrowserContext] = {}
        self.free: dict[str, list[tuple[Page, list[str]]]] = {}

    def context(self, locale: str) -> BrowserContext:
        """A context with nothing stored."""
        context = self.browser.new_context(base_url=self.server, locale=locale)
        context.set_default_timeout(PATIENCE)
        return context

    def take(self, locale: str) -> tuple[Page, list[str]]:
        """A page that no test uses, with its troubles."""
        if self.free.get(locale):
            return self.free[locale].pop()
        if locale not in self.contexts:
            self.contexts[locale] = self.context(locale)
        page = self.contexts[locale].new_page()
        return page, _troubles(page)


@pytest.fixture
def new_page(readers: Readers) -> Iterator[Callable[..., Page]]:
    """Gives browser pages; at the end of the test nothing may have gone wrong in any of them.

    `fresh` asks for a page in a context of its own, without anything stored.
    """
    used: list[tuple[str | None, Page, list[str]]] = []

    def make(
        locale: str = "en-US",
        size: tuple[int, int] = (1280, 900),
        scheme: str = "light",
        fresh: bool = False,
    ) -> Page:
        if fresh:
            page = readers.context(locale).new_page()
            troubles = _troubles(page)
        else:
            page, troubles = readers.take(locale)
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(color_scheme=scheme)
        used.append((None if fresh else locale, page, troubles))
        return page

    yield make
    found = [trouble for _, _, troubles in used for trouble in troubles]
    for locale, page, troubles in used:
        if locale is None:
            page.context.close()
        else:
            troubles.clear()
            page.mouse.move(0, 0)
            readers.free.setdefault(locale, []).append((page, troubles))
    assert found == []


def _troubles(page: Page) -> list[str]:
    """What goes wrong in a page from now on: console errors, failed requests, dialogs."""
    found: list[str] = []

    def dialog(shown) -> None:
        found.append(f"dialog: {shown.message}")
        shown.dismiss()

    def console(message) -> None:
        if message.type == "error":
            found.append(f"console: {message.text} at {page.url}")

    def failed(request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the page was left while it was under way
            found.append(f"request: {request.failure} {request.url}")

    def response(answer) -> None:
        if answer.status >= 400:
            found.append(f"request: {answer.status} {answer.url}")

    page.on("console", console)
    page.on("pageerror", lambda error: found.append(f"script: {error} at {page.url}"))
    page.on("requestfailed", failed)
    page.on("response", response)
    page.on("dialog", dialog)
    return found
