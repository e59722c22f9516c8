/** Milliseconds of a slice: with what the browser does between two of them, a key press waits for less than 50. */
const sliceMs = 12

/** Does it for each, so that the page answers meanwhile. */
export async function inSlices<Value>(all: readonly Value[], act: (value: Value) => void): Promise<void> {
  let begun = performance.now()
  for (const value of all) {
    if (performance.now() - begun > sliceMs) {
      await breath()
      begun = performance.now()
    }
    act(value)
  }
}

/** Everything that waits comes first. A message, as timers are held back where there are many of them. */
function breath(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
