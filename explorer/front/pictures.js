// A figure is marked while its picture is made: one after another, each is saved before the next.
const save = figure => new Promise(done => {
  figure.querySelector(".modebar-btn")?.click()
  const look = () => figure._snapshotInProgress ? requestAnimationFrame(look) : done()
  look()
})
