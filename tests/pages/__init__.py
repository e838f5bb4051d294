"""The pages through AppTest, no browser: how a test opens one, and what it reads off it."""

import json
import re
import unicodedata
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest.mock import patch
from urllib.parse import parse_qsl, urlsplit

import numpy as np
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.testing.v1 import AppTest, local_script_runner

import explorer.main  # noqa: F401  import torch before the first run is timed
from explorer.steps import STEPS
from tests.figures import numbers

MAIN = Path(__file__).parents[2] / "explorer" / "main.py"
SLUGS = [page.slug for page in STEPS]
PAGES = {page.slug: page for page in STEPS}
NO_HEADS = [page.slug for page in STEPS if not page.needs_heads]


def new_page(**params: object) -> AppTest:
    """The app before its first run, at a URL with these parameters."""
    at = AppTest.from_file(MAIN, default_timeout=60)
    at._bidi_component_manager = BidiComponentManager()  # else all of site-packages is searched
    at.query_params.update(params)
    return at


def open_page(page: str = "shapes", lang: str = "en", **params: object) -> AppTest:
    """The app as a browser shows it that follows a link with these parameters."""
    return new_page(page=page, lang=lang, **params).run()


def go(at: AppTest, **params: object) -> AppTest:
    """The page after Back or Forward to a URL with these parameters."""
    at.query_params.clear()
    at.query_params.update(params)
    with patch.object(
        local_script_runner, "RerunData", partial(RerunData, is_history_navigation=True)
    ):
        return at.run()


@dataclass(frozen=True)
class Chart:
    """A chart of a page as it was sent to the browser."""

    key: str
    alt: str
    data: list[dict]
    layout: dict


def charts(at: AppTest) -> dict[str, Chart]:
    """The charts of a page, by their keys."""
    found = {}
    for element in at.get("plotly_chart"):
        spec = json.loads(element.proto.spec, parse_constant=_no_json)
        found[element.key] = Chart(
            element.key, element.proto.alt, spec["data"], spec.get("layout", {})
        )
    return found


def chart(at: AppTest, name: str) -> Chart:
    """The one chart of a page whose key holds `name` between its dashes."""
    (found,) = (chart for key, chart in charts(at).items() if f"-{name}-" in f"-{key}-")
    return found


def _no_json(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON, a browser stumbles over it")


@dataclass(frozen=True)
class Heatmap:
    """A matrix that a chart draws: the name, item and head its hover tells, and its values."""

    name: str
    item: int | None
    head: int | None
    values: np.ndarray
    trace: dict


def heatmaps(chart: Chart) -> list[Heatmap]:
    """The matrices that a chart draws, with −∞ where a cell is drawn as masked."""
    found: list[Heatmap] = []
    for trace in chart.data:
        if trace["type"] != "heatmap" or trace.get("customdata"):
            continue
        name, at, word = _said(trace)
        values = numbers(trace["z"]).copy()
        if word:  # the masked cells of the heatmap before, or those that are NaN
            value = {"−∞": -np.inf, "NaN": np.nan}[word]
            np.copyto(found[-1].values, value, where=~np.isnan(values))
            continue
        if any(shape.get("layer") == "below" for shape in chart.layout.get("shapes", [])):
            values[np.isnan(values)] = -np.inf  # the ground of a masked cell
        found.append(Heatmap(name, at.get("batch"), at.get("head"), values, trace))
    return found


def _said(trace: dict) -> tuple[str, dict[str, int], str]:
    """What a heatmap says of its cells: the tensor, the first index, a word in place of numbers."""
    if meta := trace.get("meta"):
        at = dict(zip(meta["axes"], meta["starts"][0], strict=True))
        return meta["tensor"], at, meta["word"]
    name, said = trace["hovertemplate"].removesuffix("<extra></extra>").rsplit(" = ", 1)
    at = {axis: int(i) for axis, i in re.findall(r"(batch|head) (\d+)", name)}
    return name.split("[")[0], at, "" if "%{z" in said else said


def drawn(at: AppTest) -> list[Heatmap]:
    """The matrices that a page draws."""
    return [heatmap for chart in charts(at).values() for heatmap in heatmaps(chart)]


# What Streamlit renders as Markdown, user text in it or not.
MARKDOWN = ("markdown", "caption", "warning", "info", "error", "success", "header", "latex")


def markdown(at: AppTest) -> list[str]:
    """Every text of the page that is rendered as Markdown, labels included."""
    texts = [element.value for kind in MARKDOWN for element in getattr(at, kind)]
    for kind in ("button", "button_group", "toggle", "expander", "tabs", "download_button"):
        texts += [element.label for element in getattr(at, kind)]
    texts += [element.help for element in at.button]
    texts += [option for group in at.button_group for option in group.options]
    return texts


def table(at: AppTest) -> dict[tuple[str, ...], list[str]]:
    """The rows of the one Markdown table of a page, code and unbreakable spaces made plain.

    By their first two cells: the first alone may come twice.
    """
    return {tuple(row[:2]): row[2:] for row in table_of(at, "| ")}


def table_of(at: AppTest, start: str) -> list[list[str]]:
    """The rows of the one Markdown table in a text of a page that begins so, code made plain."""
    (said,) = (m.value for m in at.markdown if m.value.startswith(start))
    lines = [line for line in said.split("\n") if line.startswith("|")]
    plain = (line.replace("\xa0", " ").strip("| ").split(" | ") for line in lines[2:])
    return [[re.sub("^`(.*)`$", r"\1", cell) for cell in row] for row in plain]


def text(at: AppTest) -> str:
    """All that a page says, code and metrics of its charts left out."""
    return "\n".join(markdown(at))


def shown(at: AppTest) -> tuple[object, ...]:
    """All that a reader gets to see: texts, charts, code and tables."""
    tables = [frame.value.to_csv() for frame in at.dataframe]
    return markdown(at), charts(at), [code.value for code in at.code], tables


def component(at: AppTest) -> dict[str, str]:
    """What the page's own piece of browser code is told."""
    (browser,) = at.get("bidi_component")
    return json.loads(browser.proto.json)


def link(at: AppTest) -> dict[str, str]:
    """The parameters of the link that “copy link” would copy."""
    query = urlsplit(component(at)["link"]).query
    return dict(parse_qsl(query, keep_blank_values=True, strict_parsing=True))


def widget(at: AppTest, name: str):
    """The widget of a parameter, None where the page does not show it."""
    kinds = (
        "button_group",
        "selectbox",
        "text_area",
        "text_input",
        "toggle",
        "multiselect",
        "slider",
        "select_slider",
    )
    every = (element for kind in kinds for element in getattr(at, kind))
    return next((element for element in every if element.key.split("-")[0] == name), None)


def actions(at: AppTest, key: str) -> list[str]:
    """The words of all that can be pressed in a row of actions."""
    return [words for row in at.button_group if row.key == f"act-{key}" for words in row.options]


def act(at: AppTest, key: str, value: str) -> AppTest:
    """Press what stands for a value in a row of actions."""
    (row,) = (row for row in at.button_group if row.key == f"act-{key}")
    return row.set_value(value).run()


def outside_code(message: str) -> str:
    """A Markdown text without its code spans: a run of backticks to the next run as long."""
    return re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "`", message, flags=re.DOTALL)


def broken_bold(message: str) -> list[str]:
    """The places where CommonMark leaves a `**` standing instead of starting or ending bold.

    Opening needs a character after it that is no space and, where that is punctuation, a space or
    punctuation before it; closing needs the same the other way round (flanking, CommonMark 6.2).
    """
    message = outside_code(message)
    stars = [match.span() for match in re.finditer(r"(?<!\*)\*\*(?!\*)", message)]
    broken = [] if len(stars) % 2 == 0 else [message]
    for i, (start, end) in enumerate(stars):
        before, after = message[:start][-1:], message[end:][:1]
        outer, inner = (before, after) if i % 2 == 0 else (after, before)
        if _blank(inner) or (_mark(inner) and not _blank(outer) and not _mark(outer)):
            broken.append(message[max(0, start - 12) : end + 12])
    return broken


def _blank(char: str) -> bool:
    return not char or char.isspace()


def _mark(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"
