"""Figures on a page: shown, and said in words for those who do not see them."""

import streamlit as st
import torch
from torch import Tensor

from explorer.exports import file_name, short_name
from explorer.figures.theme import Figure
from explorer.scene import Scene
from explorer.settings.parameters import WINDOW
from explorer.text import Text

ALT = Text(
    en="{what} {rows} rows by {columns} columns, values from {low:.4g} to {high:.4g}.{masked}",
    zh="{what}{rows} 行 {columns} 列，数值从 {low:.4g} 到 {high:.4g}。{masked}",
)
ALT_MASKED = Text(en=" {n} cells are masked (−∞).", zh="其中 {n} 格被掩去（−∞）。")
ALT_NAN = Text(en=" {n} cells are no number (NaN).", zh="其中 {n} 格不是数（NaN）。")
SOME_HEADS = Text(
    en="Heads {first} to {last} of {h}; choose another head above to see its neighbours.",
    zh="这里是 {h} 个头中的第 {first} 到 {last} 个；在上方选别的头，就显示它附近的头。",
)
PART = Text(
    en="Shown: columns {first}–{last} of {size}. Choose others under “columns shown”; "
    "the CSV under “Numbers” holds all of them.",
    zh="这里显示 {size} 列中的第 {first}–{last} 列。可在“显示的列”里换一段；"
    "“数值”下的 CSV 里是全部。",
)
PICTURE = Text(en="Save this figure as PNG", zh="把这张图存为 PNG")
PROJECTOR = {"format": "png", "width": 960, "scale": 2}  # 1920 pixels wide


def say_which_heads(scene: Scene) -> None:
    """Where there are more heads than can be drawn, say which ones are."""
    heads = scene.heads()
    if len(heads) < scene.sizes.h:
        words = {"first": heads[0], "last": heads[-1], "h": scene.sizes.h}
        st.caption(SOME_HEADS(scene.lang, **words))


def chart(scene: Scene, key: str, figure: Figure, what: str, *tensors: Tensor) -> None:
    """Show a figure; a screen reader hears `what` and the range of its tensors.

    The key of a wide one says so: the page's style drops its numbers on a narrow screen.
    """
    if tensors:
        what = describe(scene, what, *tensors)
    layout = figure.to_dict()["layout"]
    config = _picture(scene, key, layout["height"])
    name = f"{layout.get('meta', 'chart')}-{key}"
    st.plotly_chart(figure, key=name, theme=None, config=config, alt=what)


def _picture(scene: Scene, key: str, height: int) -> dict:
    """Plotly's one button on a figure: it saves it at the size of a projector.

    Its words replace Plotly's English ones. That a file was saved, the browser says itself.
    """
    words = {"Download plot as a PNG": PICTURE(scene.lang)}
    name = file_name(scene.page, key, short_name(scene.trace.config))
    return {
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": PROJECTOR | {"height": height, "filename": name},
        "displaylogo": False,
        "displayNotifier": False,
        "locales": {"en": {"dictionary": words}},
    }


def describe(scene: Scene, what: str, *tensors: Tensor) -> str:
    """What a heatmap shows, in words: its size, its range and how much of it is masked."""
    values = torch.cat([tensor.flatten() for tensor in tensors])
    finite = values[values.isfinite()]
    masked, nan = int(values.isneginf().sum()), int(values.isnan().sum())
    return ALT(
        scene.lang,
        what=what,
        rows=tensors[0].shape[-2],
        columns=tensors[0].shape[-1],
        low=float(finite.min()),
        high=float(finite.max()),
        masked="".join(
            text(scene.lang, n=n) for text, n in ((ALT_MASKED, masked), (ALT_NAN, nan)) if n
        ),
    )


def say_part(scene: Scene, size: int) -> None:
    """Where an axis is too long to be shown whole, say which part of it is shown."""
    if size > WINDOW:
        shown = scene.focus.columns(size)
        st.caption(PART(scene.lang, first=shown.start, last=shown.stop - 1, size=size))
