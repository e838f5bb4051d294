// A row of actions, as settings/actions.py shows them. Of a double click the second press would
// take the first one back, so it is none. And where what was pressed gives way to other numbers,
// the row keeps the focus, so that the keyboard can go on from there.
const ROW = "[class*=st-key-act-]"
let row, pressed
const twice = event => {
  const button = event.target.closest?.(`${ROW} button`)
  if (button && pressed?.button === button && event.timeStamp - pressed.at < 500) {
    event.preventDefault()
    event.stopPropagation()
  }
  pressed = { button, at: event.timeStamp }
}
const enter = event => {
  row = event.target.closest?.(`.st-key-inspector ${ROW}`)
  rows.disconnect()
  if (row) rows.observe(row.closest(".st-key-inspector"), { childList: true, subtree: true })
}
const rows = new MutationObserver(() => {
  if (document.activeElement !== document.body) return
  const left = row.isConnected ? row : document.querySelector(`.st-key-inspector ${ROW}`)
  left?.querySelector("button").focus({ preventScroll: true })
})

