"""The door: `streamlit run app.py`."""

import gc
from contextlib import asynccontextmanager

import streamlit as st


@asynccontextmanager
async def warm_up(_: st.App):
    """Import torch and the pages before the first visitor comes: 1.5 s that nobody waits for.

    One thread for torch: viewers already are threads, and a second one only waits, at full speed.
    """
    import torch

    import explorer.main  # noqa: F401

    torch.set_num_threads(1)
    gc.collect()
    gc.freeze()  # what is loaded stays: no collection need look through it again
    gc.set_threshold(20_000)  # a page makes thousands of objects that need no collection

    yield


app = st.App("explorer/main.py", lifespan=warm_up)
