// A figure that shows elements of a tensor carries which ones in the `meta` of its traces. So that
// no cell has to bring a text of its own, the one under the mouse is named here.
const PATIENCE = 10_000  // milliseconds that an answer may take
const TOKENS = ["seq", "query", "key"]
const said = value => String(Number(value.toPrecision(6))).replace("-", "−")
const element = (point, data) => {
  const trace = point.fullData, meta = trace.meta
  if (!meta?.tensor) return
  const at = point.pointNumber, line = trace.type === "scatter" && trace.customdata?.[at]
  const [r, c] = line || (at.length > 1 ? at : [0, at])  // of a heatmap; of bars and curves
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
    const token = TOKENS.includes(axis) && (meta.tokens ?? data.tokens)[batch]?.[index[i]]
    return axis === "1" ? "0" : `${axis} ${token ? `${token}#` : ""}${index[i]}`
  })
  const value = line ? line[2] : trace.customdata?.[r][c] ?? point.z ?? point.y
  return {
    name: `${meta.tensor}[${places.join(", ")}]`,
    value: meta.word || (value == null ? "−∞" : said(value)),
    address: meta.offset + index.reduce((sum, at, i) => sum + at * meta.stride[i], 0),
    sign: meta.sign ?? "=",
    pick: meta.tokens ? "" : `${meta.tensor}:${index}`,  // only of the run that is shown
  }
}

const tip = Object.assign(document.createElement("div"), { className: "hover-tip", hidden: true })
const point = (event, said, data) => {
  tip.replaceChildren(...[
    said.name, `${said.sign} ${said.value} (${data.address} ${said.address})`,
    said.pick && data.click,
  ].map(words => Object.assign(document.createElement("div"), { textContent: words })))
  tip.hidden = false
  const { clientX, clientY } = event
  const { offsetWidth, offsetHeight } = tip
  tip.style.left = `${Math.max(4, Math.min(clientX + 14, innerWidth - offsetWidth - 8))}px`
  const below = clientY + 18
  tip.style.top = `${below + offsetHeight < innerHeight ? below : clientY - offsetHeight - 14}px`
}
const away = () => { tip.hidden = true }

// The panel that answers a click must not lie on the number that was clicked. The answer draws the
// figure anew, so it is known by its place among all; then both are where they stay.
const charts = () => [...document.querySelectorAll("[data-testid=stPlotlyChart]")]
const answered = before => shown !== before
  && document.querySelector(".stApp[data-test-script-state=notRunning]")
  && charts().every(chart => chart.querySelector(".main-svg"))
const uncover = (plot, { clientY }) => {
  const chart = plot.closest("[data-testid=stPlotlyChart]"), before = shown
  const n = charts().indexOf(chart), y = clientY - chart.getBoundingClientRect().top
  const until = performance.now() + PATIENCE
  const look = () => {
    const panel = document.querySelector(".st-key-inspector")
    if (!panel || !answered(before))
      return performance.now() < until && requestAnimationFrame(look)
    const at = charts()[n].getBoundingClientRect().top + y
    const hidden = at + 40 - panel.getBoundingClientRect().top
    if (hidden > 0) main().scrollBy(0, hidden)
  }
  look()
}

let now
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
    if (!said?.pick) return
    now.setTriggerValue("pick", said.pick)
    uncover(plot, clicked.event)
  })
}
