"""A server that is killed loses nothing: all that a reader sees is in the link."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator

import psutil
import pytest
from playwright.sync_api import Browser, Page

from .reader import choose, differences, idle, open_page, turned, view
from .servers import balance, free_port, launch

pytestmark = pytest.mark.slow
ASKED = {"sentences": "我爱深度学习\nthe cat sat on the mat", "d_model": 16, "h": 4, "seed": 7}

# Counts from now on how often the page is told that the script runs.
WATCH = """() => {
    const app = document.querySelector(".stApp")
    window.runs = 0
    const look = () => { if (app.dataset.testScriptState === "running") window.runs += 1 }
    new MutationObserver(look).observe(app, { attributes: true })
}"""


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen]]:
    """The servers of a test, ended with it."""
    started: list[subprocess.Popen] = []
    yield started
    for process in started:
        process.kill()
        process.wait(30)


def page_at(browser: Browser, port: int) -> Page:
    """A page that shows what no bare link does, some of it chosen by hand."""
    page = browser.new_context(base_url=f"http://localhost:{port}", locale="en-US").new_page()
    open_page(page, "softmax", "en", **ASKED)
    choose(page, "head", 2)
    choose(page, "query", 2)
    return page


def kill(process: subprocess.Popen) -> None:
    os.kill(process.pid, signal.SIGKILL)
    process.wait(30)


def readers(process: subprocess.Popen) -> int:
    """How many connections to a server stand."""
    connections = psutil.Process(process.pid).net_connections("tcp")
    return sum(each.status == psutil.CONN_ESTABLISHED for each in connections)


def test_after_a_kill_and_a_restart_a_reload_shows_the_same(browser, processes, tmp_path):
    port, log = free_port(), tmp_path / "log.txt"
    processes.append(launch(port, log))
    page = page_at(browser, port)
    wanted, address = view(page), page.url
    kill(processes[0])
    processes.append(launch(port, log))
    page.reload()
    idle(page)
    assert differences(page, wanted) == []
    assert page.url == address
    page.context.close()


@pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed")
def test_behind_nginx_the_other_process_takes_over(browser, processes, tmp_path):
    ports, log = (free_port(), free_port()), tmp_path / "log.txt"
    for port in ports:
        processes.append(launch(port, log))
    with balance(ports, tmp_path) as port:
        page = page_at(browser, port)
        wanted = view(page)
        mine, other = sorted(processes, key=readers, reverse=True)
        assert (readers(mine), readers(other)) == (1, 0)
        page.evaluate(WATCH)
        kill(mine)
        page.wait_for_function("window.runs > 0")
        idle(page)
        assert differences(page, wanted) == []
        assert readers(other) == 1
        page.keyboard.press("PageDown")
        assert turned(page, "mix", "en")
        page.context.close()
