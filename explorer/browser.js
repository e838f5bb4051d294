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
// a select box or a tab, where Streamlit's own button shortcuts are swallowed. The arrows do too,
// except where they already mean something: in text, and among the choices of a widget.
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

// Half a character (a lone surrogate, as a paste may leave it) fits into no message: the server
// would drop what was typed. The native setter, as React takes `field.value = …` for its own doing.
const mend = ({ target: field }) => {
  if (typeof field.value !== "string" || (field.value.isWellFormed?.() ?? true)) return
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")
  set.call(field, field.value.toWellFormed())
}

// A figure that shows elements of a tensor carries which ones in the `meta` of its traces. So that
// no cell has to bring a text of its own, the one under the mouse is named here.
const TOKENS = ["seq", "query", "key"]
const said = value => String(Number(value.toPrecision(6))).replace("-", "−")
const element = (point, data) => {
  const trace = point.fullData, meta = trace.meta
  if (!meta?.tensor) return
  const [r, c] = [point.pointNumber].flat().length > 1 ? point.pointNumber : [0, point.pointNumber]
  let index
  if (meta.flat) {
    let left = meta.starts[r][c]
    index = meta.stride.map(step => {
      const at = Math.floor(left / step)
      left -= at * step
      return at
    })
  } else {
    index = [...meta.starts[meta.starts.length > 1 ? r : 0]]
    if (meta.row !== null) index[meta.row] += r
    if (meta.column !== null) index[meta.column] += c
  }
  if (index.some((at, i) => at >= meta.shape[i])) return
  const batch = meta.axes.includes("batch") ? index[meta.axes.indexOf("batch")] : undefined
  const places = meta.axes.map((axis, i) => {
    const token = TOKENS.includes(axis) && data.tokens[batch]?.[index[i]]
    return axis === "1" ? "0" : `${axis} ${token ? `${token}#` : ""}${index[i]}`
  })
  const value = trace.customdata?.[r][c] ?? point.z ?? point.y
  return {
    name: `${meta.tensor}[${places.join(", ")}]`,
    value: meta.word || (value == null ? "−∞" : said(value)),
    address: meta.offset + index.reduce((sum, at, i) => sum + at * meta.stride[i], 0),
    pick: `${meta.tensor}:${index}`,
  }
}

const tip = Object.assign(document.createElement("div"), { className: "hover-tip", hidden: true })
const point = (event, said, data) => {
  tip.replaceChildren(...[
    said.name, `= ${said.value} · ${data.address} ${said.address}`, data.click,
  ].map(words => Object.assign(document.createElement("div"), { textContent: words })))
  tip.hidden = false
  const { clientX, clientY } = event
  const { offsetWidth, offsetHeight } = tip
  tip.style.left = `${Math.max(4, Math.min(clientX + 14, innerWidth - offsetWidth - 8))}px`
  const below = clientY + 18
  tip.style.top = `${below + offsetHeight < innerHeight ? below : clientY - offsetHeight - 14}px`
}
const away = () => { tip.hidden = true }

let watch, now
const heard = new WeakSet()  // by their `on`: a figure that is drawn anew gets another
const listen = event => {
  const plot = event.target.closest?.(".js-plotly-plot")
  if (!plot?.on) return away()
  if (heard.has(plot.on)) return
  heard.add(plot.on)
  const found = ({ points }) => points.map(each => element(each, now.data)).find(Boolean)
  plot.on("plotly_hover", hovered => {
    const said = hovered.points[0].fullData.hoverinfo === "none" && found(hovered)
    if (said) point(hovered.event, said, now.data)
  })
  plot.on("plotly_unhover", away)
  plot.on("plotly_click", clicked => {
    const said = found(clicked)
    away()
    if (said) now.setTriggerValue("pick", said.pick)
  })
}

export default function ({ data, parentElement, setTriggerValue }) {
  now = { data, setTriggerValue }
  parentElement.append(tip)
  document.documentElement.lang = data.lang
  if (data.link !== shown) until = 0
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
  document.addEventListener("pointerover", listen, true)
  document.addEventListener("input", mend, true)

  // The colours of the page, for what stands outside this component.
  const own = getComputedStyle(parentElement)
  const colors = { paper: "--st-background-color", grid: "--st-border-color" }
  for (const [name, value] of Object.entries(colors))
    document.documentElement.style.setProperty(`--${name}`, own.getPropertyValue(value))

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
    document.removeEventListener("pointerover", listen, true)
    document.removeEventListener("input", mend, true)
    away()
    watch.disconnect()
  }
}
