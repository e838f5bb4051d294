"""Above every page: the ledger of sizes, the link, and the ways to all other pages."""

import streamlit as st

from explorer.browser import browser
from explorer.page import Page, colored
from explorer.runs import Run
from explorer.settings import state
from explorer.shortcuts import shortcuts
from explorer.text import Text

STEPS = Text(en="Steps", zh="步骤")
LABS = Text(en="Labs", zh="实验")
PREVIOUS = Text(en="Previous", zh="上一步")
NEXT = Text(en="Next", zh="下一步")
PREVIOUS_HELP = Text(en="Page Up or ←", zh="Page Up 或 ←")
NEXT_HELP = Text(en="Page Down or →", zh="Page Down 或 →")
POSITION = Text(en="{i} of {n}", zh="{i} / {n}")


def choose(pages: tuple[Page, ...]) -> Page:
    """The page that the link names; the first where it names none that there is."""
    return next((page for page in pages if page.slug == state.raw("page")), pages[0])


def related(pages: tuple[Page, ...], page: Page) -> list[Page]:
    """The labs of a step, or the steps of a lab."""
    return [other for other in pages if page.slug in other.steps or other.slug in page.steps]


def header(pages: tuple[Page, ...], page: Page, run: Run | None) -> None:
    """The ledger of sizes, the link, previous and next, and all steps, or all labs."""
    lang = state.read("lang")
    others = [other for other in pages if bool(other.steps) != bool(page.steps)]
    pages = tuple(other for other in pages if bool(other.steps) == bool(page.steps))
    at = pages.index(page)
    row = {"horizontal": True, "vertical_alignment": "center"}
    with st.container(**row, key="header"):
        st.markdown(_ledger(run), width="stretch")
        st.button(
            (STEPS if page.steps else LABS)(lang),
            key="others",
            type="tertiary",
            on_click=state.change,
            kwargs={"page": (related(tuple(others), page) or others)[0].slug},
        )
        browser(page.slug, run.trace.tokens if run else ())
        shortcuts(lang)
        with st.container(**row, width="content"):  # they stay together on a narrow screen
            _turn(pages, -1, "previous", PREVIOUS(lang), PREVIOUS_HELP(lang), disabled=at == 0)
            st.markdown(POSITION(lang, i=at + 1, n=len(pages)), width="content")
            last = at == len(pages) - 1
            _turn(pages, 1, "next", NEXT(lang), NEXT_HELP(lang), disabled=last)
    st.segmented_control(
        (LABS if page.steps else STEPS)(lang),
        [page.slug for page in pages],
        format_func={page.slug: page.label(lang) for page in pages}.get,
        required=True,
        label_visibility="collapsed",
        width="stretch",
        **state.widget("page", page.slug),
    )


def _turn(
    pages: tuple[Page, ...], by: int, name: str, label: str, help_: str, disabled: bool
) -> None:
    forward = by > 0
    st.button(
        label,
        key=name,
        icon=":material/arrow_forward:" if forward else ":material/arrow_back:",
        icon_position="right" if forward else "left",
        help=help_,
        disabled=disabled,
        on_click=_go,
        args=(pages, by),
    )


def _go(pages: tuple[Page, ...], by: int) -> None:
    """Turn the page from where the reader is by now: two quick clicks turn two."""
    at = pages.index(choose(pages)) + by
    state.change(page=pages[min(max(at, 0), len(pages) - 1)].slug)


def _ledger(run: Run | None) -> str:
    config = state.config_values()
    d_model, h, d_k = (config[name] for name in ("d_model", "h", "d_k"))
    B, T = run.trace.ids.shape if run else (0, 0)
    sizes = {"batch": f"B **{B}**", "seq": f"T **{T}**", "d_model": f"d_model **{d_model}**"}
    heads, equals = colored("head", f"h **{h}**"), "="
    if d_k is not None:
        sizes["h·d_k"] = f"h·d_k **{h * d_k}**"
    elif d_model % h:
        equals = "≠"
    else:
        d_k = d_model // h
    width = colored("d_k", "d_k" if d_k is None else f"d_k **{d_k}**")
    whole = " · ".join(colored(axis, words) for axis, words in sizes.items())
    return f"{whole} {equals} {heads} × {width}"
