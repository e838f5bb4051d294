"""The door: `streamlit run app.py`."""

from contextlib import asynccontextmanager

import streamlit as st


@asynccontextmanager
async def warm_up(_: st.App):
    """Import torch and the pages before the first visitor comes: 1.5 s that nobody waits for."""
    import explorer.main  # noqa: F401

    yield


app = st.App("explorer/main.py", lifespan=warm_up)
