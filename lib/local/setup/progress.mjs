const tickMs = 1000
/** Without a terminal a line stays in the log for ever, so it is said only this often. */
const logEveryMs = 15_000

const seconds = (sinceMs) => `${Math.round((Date.now() - sinceMs) / 1000)} s`

/**
 * Shows one phase of the set-up: what is done, how far it is, how long it has taken. On a terminal it is one
 * line that ticks; elsewhere a line at the start, some on the way and one at the end.
 *
 * @template T
 * @param {string} title
 * @param {(say: (howFar: string) => void) => Promise<T>} work
 * @param {NodeJS.WriteStream} out
 * @returns {Promise<T>}
 */
export async function phase(title, work, out = process.stdout) {
  const startedMs = Date.now()
  let howFar = ''
  let saidMs = startedMs
  const line = () => `${title}${howFar && `: ${howFar}`} (${seconds(startedMs)})`
  const draw = () => {
    if (out.isTTY) out.write(`\r\x1b[K${line().slice(0, out.columns - 1)}`)
    else if (Date.now() - saidMs >= logEveryMs) {
      saidMs = Date.now()
      out.write(`${line()}\n`)
    }
  }
  const end = (result) =>
    out.write(`${out.isTTY ? '\r\x1b[K' : ''}${title}: ${result} (${seconds(startedMs)})\n`)

  if (!out.isTTY) out.write(`${title} …\n`)
  draw()
  const ticker = setInterval(draw, tickMs)
  try {
    const value = await work((text) => {
      howFar = text
    })
    end('done')
    return value
  } catch (error) {
    end('failed')
    throw error
  } finally {
    clearInterval(ticker)
  }
}
