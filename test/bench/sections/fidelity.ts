import { fork } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { Files } from '../../../lib/aws/files.ts'
import { readConfig } from '../../../lib/config.ts'
import { runEngine } from '../../../lib/decoders/run-engine.ts'
import type { InputFile } from '../../../lib/engines/engine.ts'
import { computeEffectiveLimits } from '../../../lib/engines/host-limits.ts'
import { engines } from '../../../lib/engines/index.ts'
import { type FormatId, formatByExtension } from '../../../lib/formats/index.ts'
import { hashFile } from '../../../lib/io/file-hash.ts'
import { findCapability } from '../../../lib/jobs/run/find-capability.ts'
import { LossDetector } from '../../../lib/jobs/run/loss-detector.ts'
import { waitForUpload } from '../../../lib/jobs/run/run-steps.ts'
import { createLog } from '../../../lib/log.ts'
import { createSteps, planRoute } from '../../../lib/plan/index.ts'
import { defined } from '../../../lib/validation/defined.ts'
import type { FixtureName } from '../fixture-makers.ts'
import { median, medianRange } from '../measure.ts'
import { readCpuMsOfBench } from '../process-tree.ts'
import type { Report } from '../report.ts'
import type { Section } from '../section.ts'
import { credentials, region } from '../servers/server-process.ts'

/**
 * Measures the cost of the loss detector: runs the same steps, including storing the result, in pairs with and without
 * it.
 */
export const fidelity: Section = {
  name: 'fidelity',
  about: 'what the loss detector adds to a conversion, in pairs with and without it',
  async run({ report, fixtures }) {
    report.title('Loss detector')
    const bucket = await openBucket(await fixtures.folder('bucket'))
    try {
      for (const { fixture, to, pairs } of cases) {
        const { path } = await fixtures.get(fixture)
        const folder = await fixtures.folder('fidelity')
        await measureInPairs({ path, to, pairs, folder, files: bucket.files }, report)
      }
    } finally {
      await Promise.all(engines.map((engine) => engine.close?.()))
      await bucket.close()
    }
  },
}

const cases: readonly { fixture: FixtureName; to: FormatId; pairs: number }[] = [
  { fixture: 'pages.docx', to: 'pdf', pairs: 21 },
  { fixture: 'table.csv', to: 'xlsx', pairs: 17 },
  { fixture: 'table.csv', to: 'ods', pairs: 17 },
  { fixture: 'table.xlsx', to: 'csv', pairs: 17 },
  { fixture: 'pages.html', to: 'pdf', pairs: 31 },
  { fixture: 'book.epub', to: 'pdf', pairs: 15 },
  { fixture: 'minute.mp3', to: 'wav', pairs: 21 },
]

interface Case {
  readonly path: string
  readonly to: FormatId
  readonly pairs: number
  readonly folder: string
  readonly files: Files
}

/**
 * Starts the embedded S3 in a separate process, as usual. Until the server is closed, environment variables make the
 * SDK use it.
 */
async function openBucket(dir: string): Promise<{ files: Files; close(): Promise<void> }> {
  const child = fork(join(import.meta.dirname, '../servers/server-process.ts'), ['S3', dir])
  const [{ url }] = await once(child, 'message')
  const savedEnv = { ...process.env }
  const { accessKeyId, secretAccessKey } = credentials
  const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
  Object.assign(process.env, { ...keys, AWS_ENDPOINT_URL_S3: url, AWS_REGION: region })
  const config = readConfig()
  const s3 = new S3Client({ region, endpoint: url, credentials, forcePathStyle: true })
  await s3.send(new CreateBucketCommand({ Bucket: config.BUCKET_NAME }))
  const close = async () => {
    process.env = savedEnv
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }
  return { files: new Files(config), close }
}

/**
 * Times of one run in milliseconds. The engine time varies by more than the time that the loss detector takes, and
 * engine and loss detector usually run at the same time.
 */
interface TimeSpent {
  readonly wall: number
  /** Wall time after the engine has finished. */
  readonly afterEngine: number
  /** CPU time of this process. */
  readonly own: number
  /** CPU time of all processes. */
  readonly all: number
}

/** Allowed overhead of the loss detector in per cent of the wall time. */
const maxOverheadPercent = 3
/** Warm-up runs for engines and for V8's compiler. */
const warmupRuns = 20

async function measureInPairs(pairCase: Case, report: Report): Promise<void> {
  for (let run = 0; run < Math.min(warmupRuns, pairCase.pairs); run++) await measureRun(pairCase, true)
  const pairs: { withDetector: TimeSpent; withoutDetector: TimeSpent }[] = []
  for (let pair = 0; pair < pairCase.pairs; pair++) {
    // The second run can find the machine in another state, so alternate the order.
    const firstTime = await measureRun(pairCase, pair % 2 === 0)
    const secondTime = await measureRun(pairCase, pair % 2 !== 0)
    pairs.push(
      pair % 2 === 0
        ? { withDetector: firstTime, withoutDetector: secondTime }
        : { withDetector: secondTime, withoutDetector: firstTime },
    )
  }
  const overheadMs = (clock: keyof TimeSpent) =>
    pairs.map((pair) => pair.withDetector[clock] - pair.withoutDetector[clock])
  const base = (clock: keyof TimeSpent) => median(pairs.map((pair) => pair.withoutDetector[clock]))
  // The loss detector runs in this process only; the kernel reports times of other processes in steps of 10 ms.
  const figures = [
    { clock: 'processor', cost: overheadMs('own'), of: base('all') },
    { clock: 'wall', cost: overheadMs('afterEngine'), of: base('wall'), aim: { most: maxOverheadPercent } },
  ]
  for (const { clock, cost, of, aim } of figures) {
    const label = `${formatByExtension(pairCase.path)?.id} → ${pairCase.to}, ${clock}`
    const getPercent = (ms: number) => (100 * ms) / of
    const [lowestPercent, highestPercent] = medianRange(cost).map((ms) => getPercent(ms).toFixed(1))
    const remark = `${lowestPercent} to ${highestPercent} % with 95 %; ${median(cost).toFixed(2)} ms on ${of.toFixed(1)} ms, median of ${pairCase.pairs} pairs`
    report.figure({ what: label, value: getPercent(median(cost)), unit: '%', ...defined({ aim }), remark })
  }
}

/** Runs one conversion like a worker, in a separate folder. */
async function measureRun({ path, to, folder, files }: Case, withLossDetector: boolean): Promise<TimeSpent> {
  const format = formatByExtension(path)?.id
  if (!format) throw new Error(`${path} has no known extension`)
  const workDir = await mkdtemp(join(folder, 'run-'))
  const source = join(workDir, `source.${format}`)
  await copyFile(path, source)
  const input = { path: source, filename: `source.${format}`, format, size: (await stat(path)).size }
  const [wall, ownCpu, allCpu] = [performance.now(), process.cpuUsage(), readCpuMsOfBench()]
  const afterEngineMs = await convert(input, { to, workDir, withLossDetector: withLossDetector, files })
  const timeSpent = {
    wall: performance.now() - wall,
    afterEngine: afterEngineMs,
    ...cpuTimesSince(process.cpuUsage(ownCpu), allCpu),
  }
  await rm(workDir, { recursive: true })
  // Clean-up of the office after its reply must not count for the next run.
  await pause(pauseMs)
  return timeSpent
}

const pauseMs = 40

const cpuTimesSince = ({ user, system }: NodeJS.CpuUsage, allBeforeMs: number) => ({
  own: (user + system) / 1000,
  all: readCpuMsOfBench() - allBeforeMs,
})

interface Conversion {
  readonly to: FormatId
  readonly workDir: string
  readonly withLossDetector: boolean
  readonly files: Files
}

/** @returns the time after the engine had finished in milliseconds. */
async function convert(
  input: InputFile,
  { to, workDir, withLossDetector, files }: Conversion,
): Promise<number> {
  const route = planRoute({ engines, from: input.format as FormatId, to })
  using guard = withLossDetector ? new LossDetector(log) : undefined
  let inputs = [input]
  const steps = createSteps(route, {})
  guard?.start(inputs, steps[0])
  let afterEngineMs = 0
  for (const [at, step] of steps.entries()) {
    const { engine, capability } = findCapability(step, engines)
    const outDir = join(workDir, `step-${at + 1}`)
    await mkdir(outDir)
    const { signal } = new AbortController()
    const toolsOptions = { workDir, signal, limits: computeEffectiveLimits(engine.limits) }
    const { operation, options } = step
    const [from, nextFormat] = [step.from as FormatId, step.to as FormatId] // of a route
    const work = {
      operation,
      inputs,
      from,
      to: nextFormat,
      options: capability.options.parse(options),
      outDir,
    }
    const result = await runEngine(engine, { method: 'run', work }, toolsOptions)
    const start = performance.now()
    const [{ path }] = result.files
    const { size } = await stat(path)
    const isLast = at === steps.length - 1
    const storePromise = isLast
      ? files.putFile('result', path, 'text/plain', hashFile(path, size))
      : undefined
    if (storePromise && guard) await waitForUpload(storePromise)
    await guard?.checkStep(step, result, [])
    await storePromise
    afterEngineMs += performance.now() - start
    inputs = [{ path, filename: `step.${nextFormat}`, format: nextFormat, size }]
  }
  return afterEngineMs
}

const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })
