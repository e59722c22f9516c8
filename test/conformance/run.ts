/** `npm run conformance`: runs conversions of the registry on real files, checks and records the results. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engines } from '../../lib/engines/index.ts'
import type { Conversion } from '../../lib/plan/index.ts'
import { candidates, conversions } from '../plan/with-all-engines.ts'
import { assertDetected } from './assert-detected.ts'
import { checkResult } from './check-result.ts'
import { saveVersions } from './engine-versions.ts'
import { saveKnownShares } from './expected-losses.ts'
import { ProgressReport } from './progress-report.ts'
import {
  getEngineNames,
  getIntermediateFormats,
  getPairKey,
  isProven,
  pruneResults,
  type ResultLine,
  readResults,
  saveResults,
} from './results.ts'
import { measureRetainedShares } from './retained-content.ts'
import { RouteRunner } from './run-route.ts'
import { findSample, hasSamples, samplesFolder } from './samples.ts'
import { isWhole, limitSeconds, parsePairChoice, selectPairs, usage } from './select-pairs.ts'
import { saveUnprovenPairs } from './unproven-pairs.ts'

const saveEveryMs = 5000

function parseOptions() {
  try {
    return parsePairChoice(process.argv.slice(2))
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
    process.exit(2)
  }
}

/** Returns an error as one line, without paths, which mean nothing on other machines. */
function formatError(error: unknown): string {
  const causes = error instanceof Error && error.cause instanceof Error ? [error, error.cause] : [error]
  const text = causes.map((cause) => (cause instanceof Error ? cause.message : String(cause))).join(' | ')
  return text
    .replaceAll(/(?:\/[\w.@:+-]+)+\/([\w.@:+-]+)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 240)
}

const choice = parseOptions()
// By default also tries conversions that are not listed yet; `--again` only tries listed ones.
const allPairs = choice.again ? conversions() : candidates()
const lines = await readResults()
const isWanted = (pair: Conversion) =>
  choice.again ? !(choice.uncounted && lines.get(getPairKey(pair))?.kept) : !isProven(pair, lines)
const selectedPairs = limitSeconds(selectPairs(allPairs, choice).filter(isWanted), lines, choice.seconds)
const pairs = selectedPairs.filter(({ from, to }) => findSample(from, to) !== undefined)
const sourcesWithoutSample = new Set(
  selectedPairs.flatMap(({ from }) => (findSample(from) === undefined ? [from] : [])),
)
if (!hasSamples)
  console.log(
    `There are no samples in ${samplesFolder}; SAMPLES_DIR names another folder. Own fixtures are used.`,
  )
if (sourcesWithoutSample.size > 0)
  console.log(
    `${selectedPairs.length - pairs.length} pairs have no sample: ${[...sourcesWithoutSample].join(' ')}`,
  )
console.log(`${pairs.length} of ${allPairs.length} pairs to run`)

const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
const abort = new AbortController()
process.once('SIGINT', () => abort.abort(new Error('interrupted')))
process.once('SIGTERM', () => abort.abort(new Error('interrupted')))
const runner = new RouteRunner(folder, pairs, abort.signal)
const progress = new ProgressReport(pairs.length)
let unsaved: ResultLine[] = []
let savedAt = performance.now()
let lastSave = Promise.resolve()

/** Saves results one after another, because each call reads the file that the previous call wrote. */
function save(): Promise<void> {
  const batch = unsaved
  unsaved = []
  savedAt = performance.now()
  lastSave = lastSave.then(() => saveResults(batch))
  return lastSave
}

async function runPair(pair: Conversion, runner: RouteRunner): Promise<ResultLine> {
  const startedAtMs = performance.now()
  const { from, to, route } = pair
  const sample = findSample(from, to) ?? ''
  const commonFields = {
    from,
    to,
    route: getEngineNames(route),
    via: getIntermediateFormats(route),
    date: new Date().toISOString().slice(0, 10),
  }
  let ms = 0
  try {
    await assertDetected(sample, from)
    const routeResult = await runner.run(pair, sample)
    ms = Math.round(performance.now() - startedAtMs)
    const keptShares = await measureRetainedShares(pair, sample, routeResult)
    return {
      ...commonFields,
      result: 'ok',
      seen: await checkResult(pair, sample, routeResult),
      ms,
      kept: keptShares,
    }
  } catch (error) {
    ms ||= Math.round(performance.now() - startedAtMs)
    return { ...commonFields, result: 'failed', seen: formatError(error), ms, kept: '' }
  } finally {
    await runner.release(pair)
  }
}

let failedCount = 0
const endsAt = performance.now() + (choice.minutes ?? Number.POSITIVE_INFINITY) * 60_000
const queue = pairs.values()
async function runWorker(): Promise<void> {
  for (const pair of queue) {
    if (performance.now() > endsAt) return
    const firstAttempt = await runPair(pair, runner)
    // Retry with a separate runner, because a failure under load or by chance says nothing about the conversion.
    const shouldRunAgain = firstAttempt.result === 'failed' && !abort.signal.aborted
    const line = shouldRunAgain
      ? await runPair(pair, new RouteRunner(folder, [pair], abort.signal))
      : firstAttempt
    if (abort.signal.aborted) return
    if (line.result === 'failed') failedCount++
    unsaved.push(line)
    progress.add(line)
    if (performance.now() - savedAt > saveEveryMs) await save()
  }
}
await Promise.all(Array.from({ length: choice.jobs }, runWorker))
await save()
if (isWhole(choice)) await pruneResults(new Set(candidates().map(getPairKey)))
await saveVersions(engines)
await saveUnprovenPairs(candidates())
await saveKnownShares((await readResults()).values())
await Promise.all(engines.map((engine) => engine.close?.()))
await rm(folder, { recursive: true, force: true })
console.log(`\n${progress.table()}`)
process.exit(abort.signal.aborted ? 130 : failedCount > 0 ? 1 : 0)
