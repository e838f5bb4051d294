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
// Two clicks before the server answers count as one, so the second waits for the page that the
// first leads to; not for ever, or a lost connection would leave the keys dead.
const turns = []
let shown, left, until, waiting
const turn = () => {
  const running = document.querySelector(".stApp").dataset.testScriptState !== "notRunning"
  const due = !running && (left !== shown || Date.now() > until)
  const name = due && turns.shift()
  const button = name && document.querySelector(`.st-key-${name} button:not([disabled])`)
  if (button) {
    left = shown
    until = Date.now() + 5000
    button.click()
  }
  waiting = turns.length ? setTimeout(turn, 50) : 0
}
const ask = (event, name) => {
  event.preventDefault()
  event.stopPropagation()
  turns.push(name)
  if (!waiting) turn()
}

const click = event => {
  const button = event.isTrusted && event.target.closest?.(".st-key-next, .st-key-previous")
  if (button) ask(event, button.classList.contains("st-key-next") ? "next" : "previous")
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
  if (name) ask(event, name)
}

let watch

export default function ({ data, parentElement, setTriggerValue }) {
  document.documentElement.lang = data.lang
  shown = data.link

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
  document.addEventListener("click", click, true)

  // Figures carry their colours, so a change of theme has to reach the server.
  const app = document.querySelector(".stApp")
  const shade = () => getComputedStyle(app).backgroundColor
  let drawn = shade()
  watch?.disconnect()
  watch = new MutationObserver(() => {
    if (shade() === drawn) return
    drawn = shade()
    setTriggerValue("theme", drawn)
  })
  watch.observe(app, { attributes: true })

  return () => {
    document.removeEventListener("keydown", press, true)
    document.removeEventListener("click", click, true)
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
