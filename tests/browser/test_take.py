"""What a reader takes along from a page, by keyboard; and a link that opens large."""

from collections.abc import Callable
from pathlib import Path

import safetensors.torch
import torch
from PIL import Image
from playwright.sync_api import Download, Page, expect

from explorer.core import Config, attend
from explorer.core.trace import tensors
from explorer.figures.theme import DARK

from .reader import control, open_page, turned

LARGE = "() => getComputedStyle(document.documentElement).fontSize"


def test_pictures_and_the_run_are_saved_by_keyboard(new_page, tmp_path):
    page = new_page(scheme="dark")
    open_page(page, "scores", "en", tab="take")
    names = ["product", "all-left", "all-right"]
    button = page.locator(".st-key-browser .pictures")
    saved = downloads(page, len(names), lambda: press(button), tmp_path)
    expect(button).to_have_text("3 saved")
    assert list(saved) == [f"scores-{name}-d8-h2-seed0.png" for name in names]
    for chart, file in zip(page.locator(".js-plotly-plot").all(), saved.values(), strict=True):
        look_at_picture(file, chart.evaluate("plot => plot._fullLayout.height"))

    camera = page.locator(".js-plotly-plot .modebar-btn").first
    again = downloads(page, 1, lambda: press(camera), tmp_path)
    assert list(again) == list(saved)[:1]
    expect(camera.locator("xpath=..")).to_have_css("opacity", "1")

    run = page.get_by_test_id("stDownloadButton").get_by_role("button").last
    ((name, file),) = downloads(page, 1, lambda: press(run), tmp_path).items()
    assert name == "run-d8-h2-seed0.safetensors"
    read, expected = safetensors.torch.load_file(file), attend(Config())
    for tensor in tensors():
        torch.testing.assert_close(read[tensor], getattr(expected, tensor))


def press(button) -> None:
    button.focus()
    button.press("Enter")


def downloads(page: Page, n: int, ask: Callable[[], None], folder: Path) -> dict[str, Path]:
    """The next `n` files that the page saves when it is asked to, by their names, in order."""
    found: dict[str, Download] = {}

    def all_there(download: Download) -> bool:
        found[download.suggested_filename] = download
        return len(found) == n

    with page.expect_download(all_there):
        ask()
    for name, download in found.items():
        download.save_as(folder / name)
    return {name: folder / name for name in found}


def look_at_picture(file: Path, height: int) -> None:
    """As wide as a projector, on the paper of the page, opaque, and something drawn on it."""
    image = Image.open(file).convert("RGBA")
    assert image.size == (1920, 2 * height)
    paper = tuple(int(DARK.surface[i : i + 2], 16) for i in (1, 3, 5))
    assert image.getpixel((0, image.height - 1)) == (*paper, 255)
    assert image.getchannel("A").getextrema() == (255, 255)
    assert len(image.getcolors(1920 * image.height)) > 20


def test_a_link_opens_large_and_without_sidebar_until_it_is_asked_for(new_page):
    page = new_page(fresh=True)
    sidebar = page.get_by_test_id("stSidebar")
    for _ in range(2):  # the second time, Streamlit remembers that it was unfolded
        open_page(page, "mask", "en", present="true", hide="device,more")
        expect(sidebar).to_have_attribute("data-collapsed", "true")
        assert page.evaluate(LARGE) == "20px"
        page.get_by_test_id("stExpandSidebarButton").click()
        expect(sidebar).to_have_attribute("data-collapsed", "false")
    page.keyboard.press("PageDown")
    assert turned(page, "softmax", "en")
    expect(sidebar).to_have_attribute("data-collapsed", "false")
    assert not control(page, "device").count()
    sidebar.get_by_role("button", name="Show what").click()
    expect(control(page, "device")).to_be_visible()
    open_page(page, "mask", "en")
    assert page.evaluate(LARGE) == "16px"
