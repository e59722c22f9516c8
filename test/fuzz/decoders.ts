// Run by `npm run fuzz -- decoders [--count N] [--seed TEXT] [--from N]`: changes sample files and has each read by the
// parsers of decoder processes. None may crash, hang, or throw anything but an error for clients.
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { Problem, ThreadData } from './decoder-thread.ts'

/** Longer than any limit of a decoder process, even on a busy machine. */
const maxSeconds = 60
const maxHeapMb = 1024
/** Maximum number of problems to show per place, because many inputs cause the same problem. */
const maxShownPerPlace = 3

export interface FuzzOptions {
  readonly seed: string
  readonly from?: number
  readonly count: number
  /** Time after which fuzzing ends even if inputs are left. */
  readonly maxMs?: number
  readonly onProgress?: (doneCount: number) => void
}

export interface FuzzResult {
  readonly doneCount: number
  readonly problems: readonly Problem[]
}

/** Lets the decoders read `count` generated inputs and returns the problems they cause. */
export async function fuzzDecoders(options: FuzzOptions): Promise<FuzzResult> {
  const { seed, from = 0, count, maxMs = Number.POSITIVE_INFINITY, onProgress } = options
  const problems: Problem[] = []
  const to = from + count
  const endAt = performance.now() + maxMs
  let next = from
  while (next < to && performance.now() < endAt) {
    const { last, problem } = await runThread(
      { seed, from: next, to, endAt },
      (found) => problems.push(found),
      onProgress,
    )
    if (problem !== undefined) problems.push({ number: last, name: '', problem })
    next = problem === undefined ? last : last + 1
  }
  return { doneCount: next - from, problems }
}

/** Runs a thread until it has read all inputs, has ended, or hangs; returns the number of the input it had reached. */
async function runThread(
  { seed, from, to, endAt }: { seed: string; from: number; to: number; endAt: number },
  onProblem: (problem: Problem) => void,
  onProgress?: (doneCount: number) => void,
): Promise<{ last: number; problem?: string }> {
  const current = new Int32Array(new SharedArrayBuffer(4)).fill(from)
  const thread = new Worker(new URL('./decoder-thread.ts', import.meta.url), {
    workerData: { seed, from, to, current } satisfies ThreadData,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    // Keeps the debug output of the parsers out of the output of this program.
    stdout: true,
    stderr: true,
  })
  thread.on('message', onProblem)
  const { promise, resolve } = Promise.withResolvers<{ last: number; problem?: string }>()
  thread.on('error', (error) =>
    resolve({
      last: Atomics.load(current, 0),
      problem: `crashed: ${error instanceof Error ? error.stack : error}`,
    }),
  )
  thread.on('exit', () => resolve({ last: to }))
  let lastSeen = { number: from, since: performance.now() }
  const timer = setInterval(() => {
    const number = Atomics.load(current, 0)
    onProgress?.(number)
    if (number !== lastSeen.number) lastSeen = { number, since: performance.now() }
    else if (performance.now() - lastSeen.since > maxSeconds * 1000)
      resolve({ last: number, problem: `took longer than ${maxSeconds} s` })
    if (performance.now() > endAt) resolve({ last: number })
  }, 250)
  try {
    return await promise
  } finally {
    clearInterval(timer)
    await thread.terminate()
  }
}

/** Returns the place in the code that caused a problem, by which problems are grouped. */
const getPlace = ({ problem }: Problem) =>
  /\n\s+at .*?((?:lib|node_modules)\/\S+)/.exec(problem)?.[1] ?? problem

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      count: { type: 'string', default: '20000' },
      seed: { type: 'string', default: 'decoders' },
      from: { type: 'string', default: '0' },
    },
  })
  const startedAt = performance.now()
  let reportedAt = startedAt
  const { doneCount, problems } = await fuzzDecoders({
    seed: values.seed,
    from: Number(values.from),
    count: Number(values.count),
    onProgress: (number) => {
      if (performance.now() - reportedAt < 10_000) return
      reportedAt = performance.now()
      process.stdout.write(`input ${number}\n`)
    },
  })
  for (const [location, found] of Map.groupBy(problems, getPlace)) {
    process.stdout.write(`\n${found.length} × ${location}\n`)
    for (const { number, name, problem } of found.slice(0, maxShownPerPlace))
      process.stdout.write(`--from ${number} --count 1 (${name}): ${problem}\n`)
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  process.stdout.write(`${doneCount} inputs in ${seconds} s, ${problems.length} problems\n`)
  process.exitCode = problems.length > 0 ? 1 : 0
}
