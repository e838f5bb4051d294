"""The door: `streamlit run app.py`."""

from contextlib import asynccontextmanager

import streamlit as st

import explorer.core.limits  # noqa: F401  a wrong limit ends the start here, with a sentence


@asynccontextmanager
async def warm_up(_: st.App):
    """Import torch and the pages before the first visitor comes: 1.5 s that nobody waits for.

    One thread for torch: viewers already are threads, and a second one only waits, at full speed.
    """
    import torch

    import explorer.main  # noqa: F401

    torch.set_num_threads(1)

    yield


app = st.App("explorer/main.py", lifespan=warm_up)
