/** Maximum duration of a time slice. With the browser's own work, a key press then waits less than 50 ms. */
const maxSliceMs = 12

/** Visits each value in time slices, so that the page stays responsive. */
export async function forEachInSlices<Value>(
  values: readonly Value[],
  visit: (value: Value) => void,
): Promise<void> {
  let startedAt = performance.now()
  for (const value of values) {
    if (performance.now() - startedAt > maxSliceMs) {
      await yieldToBrowser()
      startedAt = performance.now()
    }
    visit(value)
  }
}

/** Lets pending events run first. Uses a message, because browsers delay timers. */
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
