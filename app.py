"""The door: `streamlit run app.py`."""

import gc
import os
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from streamlit.file_util import get_static_dir

# One thread for torch: viewers already are threads, and a second one only waits, at full speed,
# 15 ms for every new run. Read when torch is imported; torch.set_num_threads(1) is known to other
# threads only after their first product.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import explorer.core.limits  # noqa: F401  a wrong limit ends the start, with a sentence
from explorer.compressed import CompressedOnce


@asynccontextmanager
async def warm_up(_: st.App):
    """Import torch and the pages before the first visitor comes: 1.5 s that nobody waits for."""
    import explorer.main  # noqa: F401

    gc.collect()
    gc.freeze()  # what is loaded stays: no collection need look through it again
    gc.set_threshold(20_000)  # a page makes thousands of objects that need no collection

    yield


compressed = Middleware(
    CompressedOnce, folder=Path(get_static_dir()), base=st.get_option("server.baseUrlPath")
)
app = st.App("explorer/main.py", lifespan=warm_up, middleware=[compressed])
