// A row of actions, as settings/actions.py shows them. Of a double click the second press would
// take the first one back, so it is none. And where what was pressed gives way to other numbers,
// the row keeps the focus, so that the keyboard can go on from there.
const ROW = "[class*=st-key-act-]"
let row, pressed
const twice = event => {
  const here = event.target.closest?.(`${ROW} button`)?.closest(ROW)
  if (!here) return
  if (pressed?.row === here && event.timeStamp - pressed.at < 500) {
    event.preventDefault()
    event.stopPropagation()
  }
  pressed = { row: here, at: event.timeStamp }
}
const enter = event => { row = event.target.closest?.(`.st-key-inspector ${ROW}`) }
const refocus = () => {
  if (!row || document.activeElement !== document.body) return
  const left = row.isConnected ? row : document.querySelector(`.st-key-inspector ${ROW}`)
  left?.querySelector("button").focus({ preventScroll: true })
}

