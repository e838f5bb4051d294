"""The numbers tab: a tensor of the run as a table, and the whole of it as CSV."""

import pandas as pd
import streamlit as st
import torch
from torch import Tensor

from explorer.charts import describe
from explorer.core.trace import axes, lookup
from explorer.scene import TOKEN_AXES, Scene
from explorer.settings import state
from explorer.text import Text

TENSOR = Text(en="tensor", zh="张量")
DOWNLOAD = Text(en="{name} as CSV, whole", zh="下载 {name} 全部数值（CSV）")
TABLE = Text(
    en="`{name}`: rows are {rows}, columns are {columns}",
    zh="`{name}`：行是 {rows}，列是 {columns}",
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
    at = ", ".join((*choice, ":", ":"))
    st.markdown(TABLE(scene.lang, name=f"{name}[{at}]", rows=rows, columns=columns))
    st.dataframe(_table(scene, values, rows, columns), alt=describe(scene, name, values))
    st.download_button(
        DOWNLOAD(scene.lang, name=name),
        lambda: csv(name, lookup(scene.trace, name)),
        file_name=f"{name}.csv",
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _table(scene: Scene, values: Tensor, rows: str, columns: str) -> pd.DataFrame:
    return pd.DataFrame(
        values.cpu().numpy(),
        index=_labels(scene, rows, values.shape[0]),
        columns=_labels(scene, columns if rows != "batch" else "", values.shape[1]),
    )


def _labels(scene: Scene, axis: str, size: int) -> list[str]:
    if axis in TOKEN_AXES:
        return [f"{i} {token}" for i, token in enumerate(scene.token_labels)]
    return [str(i) for i in range(size)]


def csv(name: str, tensor: Tensor) -> bytes:
    """A tensor in long form: one line an element, a column for each axis, then the value.

    Floats are written so that they read back as the same float32.
    """
    index = torch.cartesian_prod(*map(torch.arange, tensor.shape)).reshape(-1, tensor.dim())
    table = pd.DataFrame(index.numpy(), columns=list(axes(name)))
    table["value"] = tensor.detach().cpu().flatten().numpy()
    return table.to_csv(index=False).encode()
