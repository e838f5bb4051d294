// Two clicks before the server answers count as one, so the second waits for the page that the
// first leads to; not for ever, or a lost connection would leave the keys dead.
const turns = []
let shown, until = 0, waiting
const turn = () => {
  const running = document.querySelector(".stApp").dataset.testScriptState !== "notRunning"
  const due = !running && Date.now() > until
  const name = due && turns.shift()
  const button = name && document.querySelector(`.st-key-${name} button:not([disabled])`)
  if (button) {
    until = Date.now() + 5000
    button.click()
  }
  waiting = turns.length ? setTimeout(turn, 50) : 0
}
const ask = (event, name) => {
  event.preventDefault()
  event.stopPropagation()
  if (!event.repeat) turns.push(name)  // a key held down turns once
  if (!waiting) turn()
}

const click = event => {
  const button = event.isTrusted && event.target.closest?.(".st-key-next, .st-key-previous")
  if (button) ask(event, button.classList.contains("st-key-next") ? "next" : "previous")
}

// Page Down and Page Up (a presenter's clicker sends them) turn the page from anywhere, even out of
// a select box or among choices, where Streamlit's own button shortcuts are swallowed. The arrows do too,
// except where they already mean something: in text, and among the choices of a widget.
const press = event => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  const arrow = event.key === "ArrowRight" || event.key === "ArrowLeft"
  const owner = "input:not([type=checkbox]), textarea, "
    + "[role=radio], [role=radiogroup], [role=grid]"
  if (arrow && event.target.closest?.(owner)) return
  const name = {
    PageDown: "next", ArrowRight: "next", PageUp: "previous", ArrowLeft: "previous",
  }[event.key]
  if (name) ask(event, name)
}
