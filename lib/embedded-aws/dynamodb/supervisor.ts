// Keeps a server process running: restarts it when it exits or hangs.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitWithParent } from '../../io/exit-with-parent.ts'
import type { Log } from '../../log.ts'

interface SupervisorOptions {
  readonly command: readonly [string, ...string[]]
  /** Health check; rejects if the server does not work. */
  readonly probe: (signal: AbortSignal) => Promise<void>
  readonly checkEveryMs: number
  readonly probeTimeoutMs: number
  readonly log: Log
}

interface Supervisor {
  close(): Promise<void>
}

const startTimeoutMs = 10_000
const stopTimeoutMs = 5_000
const initialBackoffMs = 100
const maxBackoffMs = 30_000
/**
 * The process is only restarted after two failed probes, because a single one can be caused by a suspended machine or a
 * busy disk.
 */
const maxFailedProbes = 2
const failuresBeforeExplanation = 5

const crashExplanation =
  'The embedded DynamoDB keeps exiting before it responds. Check its last output in this log, whether the disk is full, and whether another program uses its port; then restart the service.'

/** Starts the process and resolves once it responds. @throws if it exits or times out before its first response */
export async function supervise(options: SupervisorOptions): Promise<Supervisor> {
  const { log, checkEveryMs } = options
  const closeController = new AbortController()
  let run = start(options)
  await waitUntilReady(run, options).catch(async (error: unknown) => {
    await stop(run)
    throw error
  })

  async function keepRunning(): Promise<void> {
    for (let failures = 0; ; ) {
      const hasResponded = await waitUntilReady(run, options).then(
        () => true,
        () => false,
      )
      if (hasResponded) await Promise.race([run.exit, watch(run, options, closeController.signal)])
      if (closeController.signal.aborted) return
      await stop(run, 'SIGKILL')
      failures = hasResponded ? 0 : failures + 1
      const lastOutput = run.lastOutput()
      if (failures < failuresBeforeExplanation)
        log.error({ failures, lastOutput }, 'the embedded DynamoDB exited and is restarted')
      else log.error({ failures, lastOutput }, crashExplanation)
      // A process that has worked is restarted without a pause, because the SDK only retries for a few hundred ms.
      if (failures > 0)
        await pause(Math.min(initialBackoffMs * 2 ** (failures - 1), maxBackoffMs), closeController.signal)
      if (closeController.signal.aborted) return
      run = start(options)
    }
  }

  async function watch(
    watchedRun: ServerRun,
    { probe, probeTimeoutMs }: SupervisorOptions,
    signal: AbortSignal,
  ) {
    const endSignal = AbortSignal.any([signal, watchedRun.exitSignal])
    for (let failedProbes = 0; failedProbes < maxFailedProbes; ) {
      await pause(checkEveryMs, endSignal)
      if (endSignal.aborted) return
      const hasResponded = await probe(AbortSignal.timeout(probeTimeoutMs)).then(
        () => true,
        () => false,
      )
      failedProbes = hasResponded ? 0 : failedProbes + 1
    }
  }

  const supervision = keepRunning()
  return {
    close: async () => {
      closeController.abort()
      await stop(run)
      await supervision
    },
  }
}

interface ServerRun {
  readonly child: ChildProcess
  readonly exit: Promise<unknown>
  /** Signal that is aborted when the process has exited. */
  readonly exitSignal: AbortSignal
  isRunning(): boolean
  lastOutput(): string
}

function start({ command, log }: SupervisorOptions): ServerRun {
  const [program, ...args] = exitWithParent(command)
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    output = (output + chunk).slice(-2000)
    log.debug({ from: 'dynamodb' }, chunk.trim())
  })
  const exitController = new AbortController()
  // A program that cannot be executed emits an error instead of an exit.
  const exit = once(child, 'exit')
    .catch((error: unknown) => {
      output = String(error)
    })
    .finally(() => exitController.abort())
  return {
    child,
    exit,
    exitSignal: exitController.signal,
    isRunning: () => !exitController.signal.aborted,
    lastOutput: () => output.trim(),
  }
}

async function waitUntilReady(run: ServerRun, { probe }: SupervisorOptions): Promise<void> {
  const deadline = AbortSignal.any([AbortSignal.timeout(startTimeoutMs), run.exitSignal])
  for (;;) {
    try {
      return await probe(deadline)
    } catch (cause) {
      if (deadline.aborted)
        throw new Error(run.lastOutput() || `It did not respond within ${startTimeoutMs / 1000} s.`, {
          cause,
        })
      await pause(10, deadline)
    }
  }
}

async function stop({ child, exit, isRunning }: ServerRun, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') {
  if (!isRunning()) return
  child.kill(signal)
  const killTimer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  await exit
  clearTimeout(killTimer)
}

/** Waits; resolves early, without an error, when the signal is aborted. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
