import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { adversarialTexts, type EntryPoint, entryPoints, numberedInputs } from './expressions/entry-points.ts'
import { scannerVerdicts } from './expressions/scanner-verdicts.ts'
import { listScanners } from './expressions/scanners.ts'

const [short, long] = [16 * 1024, 128 * 1024]
/** Returns the time limit in milliseconds per MiB of input. */
const getLimitMs = ({ isApi }: EntryPoint) => (isApi ? 50 : 500)
/** Factor by which the time of long inputs may exceed the proportional time, because of caches and other load. */
const toleranceFactor = 3
/** Shorter times are noise. */
const minMs = 15

async function measureMs({ read }: EntryPoint, text: string): Promise<number> {
  const cpuBefore = process.cpuUsage()
  await read(text)
  const { user, system } = process.cpuUsage(cpuBefore)
  return (user + system) / 1000
}

const fill = (length: number, pump: (index: number) => string): string => {
  const parts: string[] = []
  for (let size = 0, index = 0; size < length; index++)
    size += parts[parts.push(pump(index)) - 1]?.length ?? length
  return parts.join('').slice(0, length)
}

async function findProblem(entry: EntryPoint, pump: (index: number) => string): Promise<string | undefined> {
  const [shortText, longText] = [fill(short, pump), fill(long, pump)]
  const allowedMs = (getLimitMs(entry) * long) / 1024 ** 2
  const measure = async () => ({
    shortMs: await measureMs(entry, shortText),
    longMs: await measureMs(entry, longText),
  })
  let { shortMs, longMs } = await measure()
  const isSlow = () => longMs > minMs && longMs > allowedMs
  const isSuperlinear = () => longMs > minMs && longMs > (shortMs * long * toleranceFactor) / short
  // Uses the fastest of several runs, because other load only makes a run slower.
  for (let run = 0; run < 2 && (isSlow() || isSuperlinear()); run++) {
    const repeatedMs = await measure()
    longMs = Math.min(longMs, repeatedMs.longMs)
    shortMs = Math.max(shortMs, repeatedMs.shortMs)
  }
  if (!isSlow() && !isSuperlinear()) return undefined
  const shownInput = JSON.stringify(pump(1).slice(0, 30))
  return `${entry.name}: ${shownInput} takes ${shortMs.toFixed(1)} ms for ${short} and ${longMs.toFixed(1)} ms for ${long} characters`
}

describe('readers of client text and files', () => {
  for (const entry of entryPoints)
    test(`the time to read adversarial input grows at most linearly with its length: ${entry.name}`, async () => {
      const problems: string[] = []
      for (const pump of [...adversarialTexts.map((one) => () => one), ...numberedInputs]) {
        const problem = await findProblem(entry, pump)
        if (problem !== undefined) problems.push(problem)
      }
      assert.deepEqual(problems, [])
    })
})

test('each scanner with a search or copy in a loop is listed with its complexity', () => {
  const knownScanners = scannerVerdicts.flatMap(({ scanners }) => scanners)
  assert.deepEqual(
    listScanners()
      .map(({ path, name }) => `${path} ${name}`)
      .sort(),
    [...knownScanners].sort(),
  )
})
