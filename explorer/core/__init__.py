"""The traced pipeline: torch only, no Streamlit, no Plotly, no language."""

from explorer.core.config import Config, IndivisibleHeads, NoTokens
from explorer.core.params import Params, make_params
from explorer.core.pipeline import attend, embed
from explorer.core.trace import Embedded, Trace

__all__ = [
    "Config",
    "Embedded",
    "IndivisibleHeads",
    "NoTokens",
    "Params",
    "Trace",
    "attend",
    "embed",
    "make_params",
]
