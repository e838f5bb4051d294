"""What only the browser can do: the page's language, the keys, the clipboard, the theme."""

import streamlit as st

from explorer.settings import state
from explorer.text import Text

COPY = Text(en="Copy link", zh="复制链接")
COPIED = Text(en="Copied", zh="已复制")

# Page Down and Page Up (a presenter's clicker sends them) turn the page from anywhere, even out of
# a select box or a tab, where Streamlit's own button shortcuts are swallowed. The arrows do too,
# except where they already mean something: in text, and among the choices of a widget.
JS = """
// Two presses in one run would count as one click, so the second waits for the first to be done.
const turns = []
let turning = false
const turn = () => {
  const running = document.querySelector(".stApp").dataset.testScriptState !== "notRunning"
  const name = running || turns.shift()
  turning = Boolean(name)
  if (!running) document.querySelector(`.st-key-${name} button:not([disabled])`)?.click()
  if (turning) setTimeout(turn, 50)
}

const press = event => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  const arrow = event.key === "ArrowRight" || event.key === "ArrowLeft"
  const owner = "input:not([type=checkbox]), textarea, "
    + "[role=radio], [role=radiogroup], [role=tab], [role=grid]"
  if (arrow && event.target.closest?.(owner)) return
  const name = {
    PageDown: "next", ArrowRight: "next", PageUp: "previous", ArrowLeft: "previous",
  }[event.key]
  if (!name) return
  event.preventDefault()
  event.stopPropagation()
  turns.push(name)
  if (!turning) turn()
}

let watch

export default function ({ data, parentElement, setTriggerValue }) {
  document.documentElement.lang = data.lang

  const button = parentElement.querySelector("button")
  button.textContent = data.copy
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(data.link)
    } catch {  // no clipboard without https: the old way
      const area = document.createElement("textarea")
      area.value = data.link
      document.body.append(area)
      area.select()
      document.execCommand("copy")
      area.remove()
    }
    button.textContent = data.copied
  }

  document.addEventListener("keydown", press, true)  // a second time is no second listener

  // Figures carry their colours, so a change of theme has to reach the server.
  const app = document.querySelector(".stApp")
  const shade = () => getComputedStyle(app).backgroundColor
  let shown = shade()
  watch?.disconnect()
  watch = new MutationObserver(() => {
    if (shade() === shown) return
    shown = shade()
    setTriggerValue("theme", shown)
  })
  watch.observe(app, { attributes: true })

  return () => {
    document.removeEventListener("keydown", press, true)
    watch.disconnect()
  }
}
"""
CSS = """
.st-key-browser button {
  font: inherit; font-size: 0.9rem; color: var(--st-primary-color); background: none;
  border: 0; padding: 0.45rem 0.2rem; cursor: pointer; white-space: nowrap;
}
.st-key-browser button:hover, .st-key-browser button:focus-visible { text-decoration: underline; }
/* The colours of Streamlit's highlighting are too weak on a projector: weight instead. */
.stCode code span { color: inherit !important; }
.stCode code .token.keyword, .stCode code .token.function { font-weight: 600; }
@media (min-width: 641px) { .katex-display { overflow: visible !important; } }
@media (max-width: 640px) {
  [class*="st-key-wide-"] .heatmap-label { display: none; }
  .stMarkdown table { font-size: 0.75rem; }
  .stMarkdown :is(td, th) { padding: 0.2rem !important; overflow-wrap: anywhere; }
}
"""


def browser(page: str) -> None:
    """Show the button that copies the link of a page, and ask all else of the browser."""
    lang = state.read("lang")
    _component()(
        key="browser",
        data={
            "lang": "zh-CN" if lang == "zh" else "en",
            "link": state.link(page),
            "copy": COPY(lang),
            "copied": COPIED(lang),
        },
        on_theme_change=lambda: None,
        width="content",
    )


@st.cache_resource
def _component():
    return st.components.v2.component(
        "browser", html="<button></button>", css=CSS, js=JS, isolate_styles=False
    )
