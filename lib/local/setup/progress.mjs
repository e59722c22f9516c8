const tickMs = 1000
/** Interval of progress lines without a terminal, where every line stays in the log. */
const logEveryMs = 15_000

const formatSeconds = (sinceMs) => `${Math.round((Date.now() - sinceMs) / 1000)} s`

/**
 * Shows one phase of setup: what it does, its progress and its duration. On a terminal this is one line that is
 * updated every second; elsewhere a line at the start, some in between and one at the end.
 *
 * @template T
 * @param {string} title
 * @param {(report: (progress: string) => void) => Promise<T>} work
 * @param {NodeJS.WriteStream} out
 * @returns {Promise<T>}
 */
export async function showPhase(title, work, out = process.stdout) {
  const startedAtMs = Date.now()
  let progress = ''
  let lastLineMs = startedAtMs
  const line = () => `${title}${progress && `: ${progress}`} (${formatSeconds(startedAtMs)})`
  const draw = () => {
    if (out.isTTY) out.write(`\r\x1b[K${line().slice(0, out.columns - 1)}`)
    else if (Date.now() - lastLineMs >= logEveryMs) {
      lastLineMs = Date.now()
      out.write(`${line()}\n`)
    }
  }
  const end = (result) =>
    out.write(`${out.isTTY ? '\r\x1b[K' : ''}${title}: ${result} (${formatSeconds(startedAtMs)})\n`)

  if (!out.isTTY) out.write(`${title} …\n`)
  draw()
  const ticker = setInterval(draw, tickMs)
  try {
    const value = await work((text) => {
      progress = text
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
