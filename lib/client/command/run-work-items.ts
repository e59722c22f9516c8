import { relative } from 'node:path'
import { isFailure } from '../errors.ts'
import { type ExitCode, exit, exitCodeOf, messageOf } from './exit-codes.ts'
import { createProgressItem, type ProgressItem, renderBars, updateProgress } from './progress-bars.ts'
import type { WorkRecords } from './resume-records.ts'
import type { Session } from './session.ts'
import { formatBytes } from './terminal.ts'
import { performWork, type Work, type WorkResult } from './work-item.ts'

export interface RunOptions {
  readonly force: boolean
  /** Works at a time. */
  readonly maxConcurrent: number
  /** Told of each that was not done for a reason that may pass. */
  readonly onNotDone?: (work: Work) => void
}

const redrawMs = 100

/** Does all of it, tells how far it is, and says by its exit code what became of it. */
export async function runWorks(
  works: readonly Work[],
  session: Session,
  records: WorkRecords,
  { force, maxConcurrent: atOnce, onNotDone: onUndone }: RunOptions,
): Promise<ExitCode> {
  const { terminal, signal } = session
  const active = new Set<ProgressItem>()
  const waiting = [...works]
  const failures: unknown[] = []
  let done = 0
  const draw = () =>
    terminal.draw(
      signal.aborted
        ? []
        : renderBars(active, { finished: done + failures.length, total: works.length, now: Date.now() }),
    )
  let isReported = false
  const onWait = (pid: number) => {
    if (!isReported) terminal.note(`Another command (process ${pid}) is at work here: waiting for it.`)
    isReported = true
  }
  const redraw = terminal.isInteractive ? setInterval(draw, redrawMs) : undefined
  const worker = async () => {
    for (let work = waiting.shift(); work && !signal.aborted; work = waiting.shift()) {
      const item = createProgressItem(work.shown, Date.now())
      active.add(item)
      const progress = { progress: (stage: string, share: number) => updateProgress(item, stage, share) }
      try {
        const workResult = await performWork(work, session, records, { force, progress, onWait })
        done += 1
        reportDone(workResult, session)
      } catch (thrown) {
        if (signal.aborted) return
        failures.push(thrown)
        reportFailure(work, thrown, session)
        // The others would fail as well, each after as long a wait.
        if (isFailure(thrown, 'UNREACHABLE', 'INVALID_API_KEY', 'AUTHENTICATION_REQUIRED'))
          for (const undone of [work, ...waiting.splice(0)]) onUndone?.(undone)
      } finally {
        active.delete(item)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, works.length) }, worker))
  clearInterval(redraw)
  terminal.draw([])
  if (signal.aborted) {
    terminal.note(`Interrupted: ${done} of ${works.length} are done. The same command goes on from here.`)
    return exit.interrupted
  }
  if (works.length > 1 && failures.length > 0) terminal.note(`${done} of ${works.length} are done.`)
  return exitCode(done, failures)
}

function exitCode(done: number, failures: readonly unknown[]): ExitCode {
  if (failures.length === 0) return exit.done
  if (done > 0) return exit.partly
  const codes = new Set(failures.map(exitCodeOf))
  const [only] = codes
  return codes.size === 1 && only !== undefined ? only : exit.failed
}

const displayPath = (path: string) => {
  const relativePath = relative(process.cwd(), path)
  return relativePath.startsWith('..') ? path : relativePath
}

function reportDone(
  { work, outputs, bytes, isUpToDate: isOld, warnings }: WorkResult,
  { terminal }: Session,
): void {
  if (terminal.isJson) {
    const status = isOld ? 'unchanged' : 'completed'
    terminal.result(JSON.stringify({ source: work.shown, status, outputs, bytes, warnings }))
    return
  }
  const to = outputs.map(displayPath).join(', ')
  terminal.note(isOld ? `= ${to}  is up to date` : `✓ ${work.shown} → ${to}  ${formatBytes(bytes)}`)
  for (const warning of warnings) terminal.note(`  ${warning}`)
}

function reportFailure(work: Work, thrown: unknown, { terminal }: Session): void {
  const code = isFailure(thrown) ? thrown.code : 'FAILED'
  if (terminal.isJson) {
    const error = { code, message: messageOf(thrown) }
    terminal.result(JSON.stringify({ source: work.shown, status: 'failed', error }))
    return
  }
  terminal.note(`✗ ${work.shown}: ${messageOf(thrown)} (${code})`)
}
