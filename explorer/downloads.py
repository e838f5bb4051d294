"""What a page offers to take along: its run as a script, as a notebook, and as one file."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from explorer.exports import file_name, safetensors_of, short_name
from explorer.page import Page
from explorer.scene import Scene
from explorer.script import notebook, script
from explorer.settings import state
from explorer.text import Text

ABOUT = Text(
    en="The script and the notebook need nothing but torch: they make the numbers of this run "
    "again, with the functions of this app, and print those of this step. The .safetensors holds "
    "every tensor and parameter, the settings beside them; read it with "
    "`safetensors.torch.load_file`.",
    zh="脚本和笔记本只需要 torch：用本应用自己的函数把这次运行重算一遍，并打印出这一步的数。"
    ".safetensors 里是全部张量和参数，连同设置；用 `safetensors.torch.load_file` 读取。",
)
SCRIPT = Text(en="This run as a script (.py)", zh="这次运行的脚本（.py）")
NOTEBOOK = Text(en="This run as a notebook (.ipynb)", zh="这次运行的笔记本（.ipynb）")
RUN = Text(en="The whole run (.safetensors)", zh="整次运行（.safetensors）")
KINDS = {"csv": "text/csv", "py": "text/x-python", "ipynb": "application/x-ipynb+json"}


def take_along(scene: Scene, page: Page) -> None:
    """Offer the run of a step as a script and a notebook, and any run as one file."""
    lang, trace, link = scene.lang, scene.trace, state.link(page.slug)
    run = short_name(trace.config)
    st.markdown(ABOUT(lang))
    with st.container(horizontal=True, gap="small"):
        if not page.steps:
            step = file_name(page.slug, run)
            download(SCRIPT(lang), partial(script, scene, page, link), step, "py")
            download(NOTEBOOK(lang), partial(notebook, scene, page, link), step, "ipynb")
        whole = partial(safetensors_of, trace, link)
        download(RUN(lang), whole, file_name("run", run), "safetensors")


def download(words: str, write: Callable[[], bytes | str], name: str, ending: str) -> None:
    """A button for a file that is only made when it is asked for."""
    st.download_button(
        words,
        write,
        file_name=f"{name}.{ending}",
        key=f"download-{ending}",  # Streamlit keeps a button without one for every file name
        mime=KINDS.get(ending, "application/octet-stream"),
        on_click="ignore",
        icon=":material/download:",
    )
