"""A run as a script, as the browser gets it: written when its button is pressed."""

import json
import re
import subprocess
import sys

from playwright.sync_api import Page

from explorer.core import Config, attend
from tests.browser.reader import open_page

SENTENCES = ("我爱 '你'", 'the "cat" \\n sat')


def download(page: Page, label: str) -> tuple[str, str]:
    """The name and the text of the file that a button gives."""
    with page.expect_download() as started:
        page.get_by_role("button", name=label).click()
    return started.value.suggested_filename, started.value.path().read_text(encoding="utf-8")


def test_the_downloaded_script_and_notebook_print_the_numbers_of_the_run(new_page, tmp_path):
    page = new_page()
    open_page(
        page, "softmax", "en", sentences="\n".join(SENTENCES), d_model=12, h=3, seed=4, tab="take"
    )
    name, script = download(page, "This run as a script (.py)")
    assert name == "softmax-d12-h3-seed4.py"
    file = tmp_path / name
    file.write_text(script, encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", file], check=True, capture_output=True, text=True)
    attn = done.stdout.split("\nattn (")[1].split("\nmasked_scores (")[0]
    printed = [float(number) for number in re.findall(r"\d\.\d{8}(?:e[-+]\d\d)?", attn)]
    expected = attend(Config(SENTENCES, d_model=12, h=3, seed=4)).attn.flatten().tolist()
    assert max(abs(a - b) for a, b in zip(printed, expected, strict=True)) < 1e-6
    name, notebook = download(page, "This run as a notebook (.ipynb)")
    assert name == "softmax-d12-h3-seed4.ipynb"
    (head, *_) = (c["source"] for c in json.loads(notebook)["cells"] if c["cell_type"] == "code")
    assert script.startswith(head)
