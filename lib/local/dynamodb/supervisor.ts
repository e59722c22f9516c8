// Keeps a server process running: one that ends is started again, one that hangs is ended.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../log.ts'
import { withParentDeath } from '../exit-with-parent.ts'

export interface SupervisorOptions {
  readonly command: readonly [string, ...string[]]
  /** Asks the server something; a rejection means that it does not work. */
  readonly probe: (signal: AbortSignal) => Promise<void>
  readonly checkEveryMs: number
  readonly answerWithinMs: number
  readonly log: Log
}

export interface Supervisor {
  close(): Promise<void>
}

const startLimitMs = 10_000
const endLimitMs = 5_000
const firstPauseMs = 100
const longestPauseMs = 30_000
/** One silence can be this machine's: it slept, or its disk was busy. */
const mostSilences = 2
const failuresToExplain = 5

const explanation =
  'The embedded DynamoDB ends again and again before it answers. Look at its last words in this log, for a full disk, and for another program on its port; then start the service again.'

/** Starts the process and resolves once it answers. @throws when it ends, or is silent, before it ever answered. */
export async function supervise(options: SupervisorOptions): Promise<Supervisor> {
  const { log, checkEveryMs } = options
  const closing = new AbortController()
  let run = start(options)
  await untilAnswering(run, options).catch(async (error: unknown) => {
    await end(run)
    throw error
  })

  async function keepRunning(): Promise<void> {
    for (let failures = 0; ; ) {
      const answered = await untilAnswering(run, options).then(
        () => true,
        () => false,
      )
      if (answered) await Promise.race([run.ended, watch(run, options, closing.signal)])
      if (closing.signal.aborted) return
      await end(run, 'SIGKILL')
      failures = answered ? 0 : failures + 1
      const lastWords = run.lastWords()
      if (failures < failuresToExplain)
        log.error({ failures, lastWords }, 'the embedded DynamoDB ended and is started again')
      else log.error({ failures, lastWords }, explanation)
      // At once when it had worked: the SDK repeats a request for a few hundred milliseconds only.
      if (failures > 0)
        await pause(Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs), closing.signal)
      if (closing.signal.aborted) return
      run = start(options)
    }
  }

  async function watch(watched: Run, { probe, answerWithinMs }: SupervisorOptions, signal: AbortSignal) {
    const over = AbortSignal.any([signal, watched.gone])
    for (let silences = 0; silences < mostSilences; ) {
      await pause(checkEveryMs, over)
      if (over.aborted) return
      const answered = await probe(AbortSignal.timeout(answerWithinMs)).then(
        () => true,
        () => false,
      )
      silences = answered ? 0 : silences + 1
    }
  }

  const kept = keepRunning()
  return {
    close: async () => {
      closing.abort()
      await end(run)
      await kept
    },
  }
}

interface Run {
  readonly child: ChildProcess
  readonly ended: Promise<unknown>
  /** Aborted when the process has ended. */
  readonly gone: AbortSignal
  isRunning(): boolean
  lastWords(): string
}

function start({ command, log }: SupervisorOptions): Run {
  const [program, ...args] = withParentDeath(command)
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let words = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    words = (words + chunk).slice(-2000)
    log.debug({ from: 'dynamodb' }, chunk.trim())
  })
  const gone = new AbortController()
  // A program that cannot be executed gives an error instead of an exit.
  const ended = once(child, 'exit')
    .catch((error: unknown) => {
      words = String(error)
    })
    .finally(() => gone.abort())
  return {
    child,
    ended,
    gone: gone.signal,
    isRunning: () => !gone.signal.aborted,
    lastWords: () => words.trim(),
  }
}

async function untilAnswering(run: Run, { probe }: SupervisorOptions): Promise<void> {
  const deadline = AbortSignal.any([AbortSignal.timeout(startLimitMs), run.gone])
  for (;;) {
    try {
      return await probe(deadline)
    } catch (cause) {
      if (deadline.aborted)
        throw new Error(run.lastWords() || `It was silent for ${startLimitMs / 1000} s.`, { cause })
      await pause(10, deadline)
    }
  }
}

async function end({ child, ended, isRunning }: Run, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') {
  if (!isRunning()) return
  child.kill(signal)
  const patience = setTimeout(() => child.kill('SIGKILL'), endLimitMs)
  await ended
  clearTimeout(patience)
}

/** Ends early, without an error, when the signal says so. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
