import { relative } from 'node:path'
import { isFailure } from '../errors.ts'
import { type ExitCode, exitCodes, getErrorMessage, getExitCode } from './exit-codes.ts'
import { createProgressItem, type ProgressItem, renderBars, updateProgress } from './progress-bars.ts'
import type { ResumeRecords } from './resume-records.ts'
import type { CommandSession } from './session.ts'
import { formatBytes } from './terminal.ts'
import { runWorkItem, type WorkItem, type WorkItemResult } from './work-item.ts'

interface RunOptions {
  readonly force: boolean
  /** How many items run at a time. */
  readonly maxConcurrent: number
  /** Called for each item that was skipped or failed because the service was unreachable or rejected the key. */
  readonly onNotDone?: (item: WorkItem) => void
}

const redrawMs = 100

/** Runs all work items, shows their progress and returns the exit code. */
export async function runWorkItems(
  items: readonly WorkItem[],
  session: CommandSession,
  records: ResumeRecords,
  { force, maxConcurrent, onNotDone }: RunOptions,
): Promise<ExitCode> {
  const { terminal, signal } = session
  const activeItems = new Set<ProgressItem>()
  const pendingItems = [...items]
  const failures: unknown[] = []
  let completedCount = 0
  const draw = () =>
    terminal.draw(
      signal.aborted
        ? []
        : renderBars(activeItems, {
            finished: completedCount + failures.length,
            total: items.length,
            now: Date.now(),
          }),
    )
  let isReported = false
  const onWait = (pid: number) => {
    if (!isReported)
      terminal.note(`Waiting for another mutabor command (process ${pid}) that is creating the same result.`)
    isReported = true
  }
  const redrawTimer = terminal.isInteractive ? setInterval(draw, redrawMs) : undefined
  const runNext = async () => {
    for (let item = pendingItems.shift(); item && !signal.aborted; item = pendingItems.shift()) {
      const progressItem = createProgressItem(item.label, Date.now())
      activeItems.add(progressItem)
      const progressReporter = {
        report: (stage: string, fraction: number) => updateProgress(progressItem, stage, fraction),
      }
      try {
        const result = await runWorkItem(item, session, records, {
          force,
          progress: progressReporter,
          onWait,
        })
        completedCount += 1
        reportDone(result, session)
      } catch (thrown) {
        if (signal.aborted) return
        failures.push(thrown)
        reportFailure(item, thrown, session)
        // If one item fails for these reasons, the others would fail as well, each after a long wait.
        if (isFailure(thrown, 'UNREACHABLE', 'INVALID_API_KEY', 'AUTHENTICATION_REQUIRED'))
          for (const notDone of [item, ...pendingItems.splice(0)]) onNotDone?.(notDone)
      } finally {
        activeItems.delete(progressItem)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(maxConcurrent, items.length) }, runNext))
  clearInterval(redrawTimer)
  terminal.draw([])
  if (signal.aborted) {
    terminal.note(
      `Interrupted: ${completedCount} of ${items.length} done. Run the same command again to resume.`,
    )
    return exitCodes.interrupted
  }
  if (items.length > 1 && failures.length > 0) terminal.note(`${completedCount} of ${items.length} done.`)
  return chooseExitCode(completedCount, failures)
}

function chooseExitCode(completedCount: number, failures: readonly unknown[]): ExitCode {
  if (failures.length === 0) return exitCodes.done
  if (completedCount > 0) return exitCodes.partial
  const codes = new Set(failures.map(getExitCode))
  const [only] = codes
  return codes.size === 1 && only !== undefined ? only : exitCodes.failed
}

const formatPath = (path: string) => {
  const relativePath = relative(process.cwd(), path)
  return relativePath.startsWith('..') ? path : relativePath
}

function reportDone(
  { item, outputs, totalBytes, isUpToDate, warnings }: WorkItemResult,
  { terminal }: CommandSession,
): void {
  if (terminal.isJson) {
    const status = isUpToDate ? 'unchanged' : 'completed'
    terminal.result(JSON.stringify({ source: item.label, status, outputs, bytes: totalBytes, warnings }))
    return
  }
  const to = outputs.map(formatPath).join(', ')
  terminal.note(isUpToDate ? `= ${to}  is up to date` : `✓ ${item.label} → ${to}  ${formatBytes(totalBytes)}`)
  for (const warning of warnings) terminal.note(`  ${warning}`)
}

function reportFailure(item: WorkItem, thrown: unknown, { terminal }: CommandSession): void {
  const code = isFailure(thrown) ? thrown.code : 'FAILED'
  if (terminal.isJson) {
    const error = { code, message: getErrorMessage(thrown) }
    terminal.result(JSON.stringify({ source: item.label, status: 'failed', error }))
    return
  }
  terminal.note(`✗ ${item.label}: ${getErrorMessage(thrown)} (${code})`)
}
