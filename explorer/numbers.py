"""Under “Numbers”: a tensor of the run as a table, and the whole of it as files."""

import pandas as pd
import streamlit as st
from torch import Tensor

from explorer.charts import describe, say_part
from explorer.core.trace import axes, lookup
from explorer.downloads import download
from explorer.exports import csv, file_name, npy, short_name
from explorer.scene import TOKEN_AXES, Scene
from explorer.settings import state
from explorer.text import Text

TENSOR = Text(en="tensor", zh="张量")
DOWNLOAD = Text(en="{name}, whole: {ending}", zh="{name} 全部数值（{ending}）")
TABLE = Text(
    en="`{name}`: rows are {rows}, columns are {columns}",
    zh="`{name}`：行是 {rows}，列是 {columns}",
)
ONE_ROW = Text(
    en="`{name}`: one row, columns are {columns}", zh="`{name}`：只有一行，列是 {columns}"
)


def numbers(scene: Scene, names: tuple[str, ...]) -> None:
    """Show one of the tensors `names` as a table for the item and head in focus."""
    names = tuple(name for name in names if lookup(scene.trace, name) is not None)
    asked = state.read("tensor")
    name = asked if asked in names else names[0]
    if len(names) > 1:
        st.segmented_control(
            TENSOR(scene.lang), names, required=True, **state.widget("tensor", name)
        )
    values, (rows, columns), choice = scene.matrix(name, scene.focus.head)
    at = ", ".join(_at(axis, choice) for axis in axes(name))
    words = {"name": f"{name}[{at}]", "rows": rows, "columns": columns}
    st.markdown((TABLE if rows else ONE_ROW)(scene.lang, **words))
    st.dataframe(_table(scene, values, rows, columns), alt=describe(scene, name, values))
    say_part(scene, max(values.shape))
    _downloads(scene, name)


def _at(axis: str, choice: dict[str, int]) -> str:
    """What stands for an axis in an index: the place chosen, or all of it."""
    if axis not in choice:
        return ":"
    return str(choice[axis]) if axis == "1" else f"{axis} {choice[axis]}"


def _downloads(scene: Scene, name: str) -> None:
    tensor = lookup(scene.trace, name)
    called = file_name(scene.page, name, short_name(scene.trace.config))
    with st.container(horizontal=True, gap="small"):
        for ending, write in {"csv": lambda: csv(name, tensor), "npy": lambda: npy(tensor)}.items():
            words = DOWNLOAD(scene.lang, name=name, ending=f".{ending}")
            download(words, write, called, ending)


def _table(scene: Scene, values: Tensor, rows: str, columns: str) -> pd.DataFrame:
    shown = [scene.focus.columns(size) for size in values.shape]
    return pd.DataFrame(
        values[shown[0], shown[1]].cpu().numpy(),
        index=pd.Index(_labels(scene, rows, shown[0]), name=rows or "row"),
        columns=_labels(scene, columns if rows != "batch" else "", shown[1]),
    )


def _labels(scene: Scene, axis: str, shown: slice) -> list[str]:
    if axis in TOKEN_AXES:
        return [f"{i} {scene.token(i)}" for i in range(shown.start, shown.stop)]
    return [str(i) for i in range(shown.start, shown.stop)]
