"""A plain app to hold the explorer against: five widgets and a wall of eight heatmaps."""

import plotly.graph_objects as go
import streamlit as st
import torch

HEADS = 8
COLUMNS = 4


def main() -> None:
    st.set_page_config("Plain", layout="wide")
    with st.sidebar:
        sentences = st.text_area(
            "sentences", "the cat sat on the mat", key="sentences", bind="query-params"
        )
        d_model = st.number_input("d_model", 1, 1024, 64, key="d_model", bind="query-params")
        h = st.number_input("h", 1, 64, HEADS, key="h", bind="query-params")
        seed = st.number_input("seed", 0, 9999, 0, key="seed", bind="query-params")
    page = st.text_input("page", "scores", key="page", bind="query-params")
    tokens = sentences.split()
    st.plotly_chart(wall(tokens, min(h, HEADS), seed), key="wall")
    st.write(page, d_model, h, len(tokens))


def wall(tokens: list[str], heads: int, seed: int) -> go.Figure:
    """Random scores of every head, built the cheapest way: one dict, handed over once."""
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(heads, len(tokens), len(tokens), generator=generator).numpy()
    ticks = {"tickvals": list(range(len(tokens))), "ticktext": tokens}
    traces, layout = [], {"height": 520, "coloraxis": {"colorscale": "RdBu"}}
    for head in range(heads):
        x, y = f"x{head + 1}", f"y{head + 1}"
        left, low = head % COLUMNS / COLUMNS, head // COLUMNS / 2
        layout[f"xaxis{head + 1}"] = {"domain": [left, left + 0.22], "anchor": y, **ticks}
        layout[f"yaxis{head + 1}"] = {
            "domain": [low, low + 0.44],
            "anchor": x,
            "autorange": "reversed",
            **ticks,
        }
        traces.append(
            {"type": "heatmap", "z": scores[head], "coloraxis": "coloraxis", "xaxis": x, "yaxis": y}
        )
    return go.Figure({"data": traces, "layout": layout})


if __name__ == "__main__":
    main()
