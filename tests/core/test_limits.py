"""Limits from the environment."""

import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from explorer.core import Config
from explorer.core.limits import PREFIX, BadLimit, Limits

ROOT = Path(__file__).parents[2]


def test_without_a_word_from_the_host_the_limits_are_the_defaults():
    assert Limits.of({"PATH": "/bin", "ATTENTION": "1"}) == Limits()


@pytest.mark.parametrize("field", fields(Limits), ids=lambda field: field.name)
def test_every_limit_can_be_set_and_holds_the_run_of_a_bare_link(field):
    least = field.metadata["least"]
    assert getattr(Limits.of({PREFIX + field.name.upper(): str(least)}), field.name) == least
    B, T, (d_model, h) = 1, 4, (Config().d_model, Config().h)
    needed = {"sentences": B, "tokens": T, "d_model": d_model, "h": h, "width": d_model}
    needed |= {"characters": len(Config().sentences[0]), "elements": d_model * d_model}
    assert least >= needed.get(field.name, 1)


@pytest.mark.parametrize("field", fields(Limits), ids=lambda field: field.name)
def test_the_readme_names_every_limit_with_its_default(field):
    rows = (ROOT / "README.md").read_text().split("\n")
    (row,) = (row for row in rows if row.startswith(f"| `{PREFIX}{field.name.upper()}` |"))
    assert row.endswith(f"| {field.default:,} |")


@pytest.mark.parametrize("text", ["many", "", "0", "-1", "1.5", "1e3", "inf", "3"])
def test_a_limit_that_is_none_is_refused_with_its_name_and_value(text):
    name = f"{PREFIX}TOKENS"
    with pytest.raises(BadLimit, match=name) as caught:
        Limits.of({name: text})
    assert repr(text) in str(caught.value)
    assert "at least 4" in str(caught.value)


def test_a_misspelt_limit_is_refused_with_those_there_are():
    with pytest.raises(BadLimit, match="ATTENTION_MAX_TOKEN=") as caught:
        Limits.of({"ATTENTION_MAX_TOKEN": "8"})
    assert "ATTENTION_MAX_TOKENS" in str(caught.value)


def test_a_wrong_limit_ends_the_start_of_the_app_with_a_sentence():
    ended = subprocess.run(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"],
        env=os.environ | {f"{PREFIX}D_MODEL": "lots"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode
    assert "ATTENTION_MAX_D_MODEL='lots': expected a whole number of at least 8" in ended.stderr
    assert "Traceback" not in ended.stderr
