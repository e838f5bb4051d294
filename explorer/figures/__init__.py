"""Tensors and strings in, a Plotly figure out: no Trace, no Streamlit, no language."""
