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

// A figure is marked while its picture is made: one after another, each is saved before the next.
const save = figure => new Promise(done => {
  figure.querySelector(".modebar-btn")?.click()
  const look = () => figure._snapshotInProgress ? requestAnimationFrame(look) : done()
  look()
})

// Streamlit begins without the sidebar only for those who never folded or unfolded it by hand.
let large = false
const enlarge = now => {
  document.documentElement.style.fontSize = now ? "125%" : ""
  const fold = "#stSidebar[data-collapsed=false] [data-testid=stSidebarCollapseButton] button"
  if (now && !large) document.querySelector(fold)?.click()
  large = now
}

let watch

export default function ({ data, parentElement, setTriggerValue }) {
  document.documentElement.lang = data.lang
  enlarge(data.large)
  if (data.link !== shown) until = 0
  shown = data.link

  const pictures = parentElement.querySelector(".pictures")
  pictures.textContent = data.pictures
  pictures.onclick = async () => {
    const figures = document.querySelectorAll(".js-plotly-plot")
    for (const figure of figures) await save(figure)
    pictures.textContent = data.saved.replace("{n}", figures.length)
  }

  const button = parentElement.querySelector(".copy")
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
