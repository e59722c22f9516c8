import type { Log } from '../log.ts'
import type { JobError } from './job.ts'
import type { JobState } from './machine.ts'
import type { StepsResult } from './run-steps.ts'
import type { TaskRun } from './run-task.ts'

/** Seconds that a claim holds without a sign of life. */
const leaseS = 15
/** A cancelled job's engine is stopped within this time. */
const beatMs = 3000
/** Progress is told at most this often, and not for less than these points. */
const tellMs = 500
const tellPoints = 5
const quietMs = 2000

const leaseUntil = () => new Date(Date.now() + leaseS * 1000)

/** One worker's hold on a task: claimed once, kept by heartbeats that carry the progress, given back in one of four ways. */
export function newLease(
  { jobId, taskName, dependents, services, hide }: TaskRun,
  leaseId: string,
  log: Log,
) {
  const of = { task: taskName, leaseId }
  const names = [taskName, ...dependents]
  let known: JobState | undefined
  let percent = 0
  let stage = 'convert'
  let toldPercent = 0
  let toldAt = Date.now()
  let beating: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let lost = () => {}

  async function advance(
    transition: Parameters<typeof services.jobs.task>[2],
  ): Promise<JobState | undefined> {
    known = await services.jobs.task(jobId, names, transition, known)
    return known
  }

  async function beat(): Promise<void> {
    const told = percent
    const state = await advance({ type: 'renew', ...of, leaseUntil: leaseUntil(), percent: told, stage })
    if (!state) return lost()
    const news = told > toldPercent
    toldPercent = told
    toldAt = Date.now()
    await Promise.all([hide(leaseS + 1), news ? services.jobs.progress(state) : undefined])
  }

  /** One at a time; a beat that fails is made up by the next, or the lease ends and another worker takes over. */
  function tell(): void {
    beating ??= beat()
      .catch((error) => log.warn({ error }, 'heartbeat failed'))
      .finally(() => {
        beating = undefined
      })
  }

  async function end(): Promise<void> {
    clearInterval(timer)
    timer = undefined
    await beating
  }

  return {
    claim: () => advance({ type: 'claim', ...of, leaseUntil: leaseUntil() }),
    keep: (): void => {
      timer = setInterval(tell, beatMs)
    },
    onLost: (listener: () => void): void => {
      lost = listener
    },
    /** Percent of the task and a word for what happens. */
    progress: (nowPercent: number, nowStage: string): void => {
      percent = Math.max(percent, nowPercent)
      stage = nowStage
      const sinceMs = Date.now() - toldAt
      const gained = percent - toldPercent
      if ((gained >= tellPoints && sinceMs >= tellMs) || (gained >= 1 && sinceMs >= quietMs)) tell()
    },
    finish: async ({ outcome, nextStep, isLast }: StepsResult): Promise<JobState | undefined> => {
      await end()
      return advance(
        isLast ? { type: 'complete', ...of, outcome } : { type: 'handover', ...of, outcome, step: nextStep },
      )
    },
    fail: async (error: JobError, retry: boolean): Promise<JobState | undefined> => {
      await end()
      return advance({ type: 'fail', ...of, error, retry })
    },
    release: async (): Promise<void> => {
      await end()
      await advance({ type: 'release', ...of })
    },
    end: (): void => clearInterval(timer),
  }
}
