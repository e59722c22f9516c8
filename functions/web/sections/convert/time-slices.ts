/** Milliseconds of a slice: with what the browser does between two of them, a key press waits for less than 50. */
const sliceMs = 12

/** Does it for each, so that the page answers meanwhile. */
export async function forEachInSlices<Value>(
  all: readonly Value[],
  visit: (value: Value) => void,
): Promise<void> {
  let startedAt = performance.now()
  for (const value of all) {
    if (performance.now() - startedAt > sliceMs) {
      await yieldToBrowser()
      startedAt = performance.now()
    }
    visit(value)
  }
}

/** Everything that waits comes first. A message, as timers are held back where there are many of them. */
function yieldToBrowser(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
