// Half a character (a lone surrogate, as a paste may leave it) fits into no message: the server
// would drop what was typed. By the native setter: `field.value = …` React takes for its own doing.
const mend = ({ target: field }) => {
  if (typeof field.value !== "string" || (field.value.isWellFormed?.() ?? true)) return
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")
  set.call(field, field.value.toWellFormed())
}

