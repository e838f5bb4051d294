// Streamlit begins without the sidebar only for those who never folded or unfolded it by hand.
let large = false
const enlarge = now => {
  document.documentElement.style.fontSize = now ? "125%" : ""
  const fold = "#stSidebar[data-collapsed=false] [data-testid=stSidebarCollapseButton] button"
  if (now && !large) document.querySelector(fold)?.click()
  large = now
}

const main = () => document.querySelector("[data-testid=stMain]")
let watch, page

export default function ({ data, parentElement, setTriggerValue }) {
  now = { data, setTriggerValue }
  parentElement.append(tip)
  document.documentElement.lang = data.lang
  enlarge(data.large)
  if (page && page !== data.page) main().scrollTo(0, 0)
  page = data.page
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
  document.addEventListener("pointerover", listen, true)
  document.addEventListener("input", mend, true)
  document.addEventListener("pointerdown", twice, true)
  document.addEventListener("focusin", enter, true)

  // The colours of the page, for what stands outside this component.
  const own = getComputedStyle(parentElement)
  const colors = { paper: "--st-background-color", grid: "--st-border-color" }
  for (const [name, value] of Object.entries(colors))
    document.documentElement.style.setProperty(`--${name}`, own.getPropertyValue(value))

  // Figures carry their colours, so a change of theme has to reach the server. And a server that
  // takes over after a lost connection knows nothing of the page: without a run of its own, the
  // next click would be lost on it.
  const app = document.querySelector(".stApp")
  const shade = () => getComputedStyle(app).backgroundColor
  let drawn = shade(), lost = false
  watch?.disconnect()
  watch = new MutationObserver(() => {
    const before = lost
    lost = app.dataset.testConnectionState !== "CONNECTED"
    if (shade() === drawn && !(before && !lost)) return
    drawn = shade()
    setTriggerValue("theme", drawn)
  })
  watch.observe(app, { attributes: true })

  return () => {
    document.removeEventListener("keydown", press, true)
    document.removeEventListener("click", click, true)
    document.removeEventListener("pointerover", listen, true)
    document.removeEventListener("input", mend, true)
    document.removeEventListener("pointerdown", twice, true)
    document.removeEventListener("focusin", enter, true)
    rows.disconnect()
    away()
    watch.disconnect()
  }
}
