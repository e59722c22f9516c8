import type { Change } from '../aws/table-expressions.ts'
import type { JobState } from '../model/job.ts'
import { findFirstImportedFile, type JobOutcome } from './job-state-machine.ts'
import { getListKey } from './list.ts'

/** Maximum JSON length, in characters, of a result that is stored in the job's record. */
const maxInlineResultLength = 2000

/**
 * Returns the write that ends a job. It also starts the job if its start is not recorded yet.
 * @param endedBy unique value, by which a repeated write recognizes that the first one succeeded
 */
export function createJobEndChange(
  state: JobState,
  outcome: JobOutcome,
  endedBy: string,
  now = new Date(),
): Change {
  const { job } = state
  const { status, error, summary, result } = outcome
  const isStarting = job.status === 'queued'
  const firstStartedTask = state.tasks
    .filter(({ startedAt }) => startedAt !== undefined)
    .sort((a, b) => (a.startedAt ?? '').localeCompare(b.startedAt ?? '') || a.number - b.number)[0]
  // Retention starts when the job ends, so that a long conversion does not shorten it.
  const expiresAt = new Date(now.getTime() + job.retentionS * 1000).toISOString()
  const importedSource = job.display.source ? null : findFirstImportedFile(state)
  return {
    set: {
      status,
      error,
      summary,
      endedBy,
      expiresAt,
      wakeAt: expiresAt,
      endedAt: now.toISOString(),
      ...(JSON.stringify(result).length <= maxInlineResultLength && { result }),
      ...(isStarting &&
        firstStartedTask && { startedAt: firstStartedTask.startedAt, startedWith: firstStartedTask.number }),
      ...(isStarting && { 'log.started': { at: now.toISOString() } }),
      ...(importedSource && { cameLater: importedSource }),
      listKey: getListKey({ ...job, status }),
    },
    setPlus: {
      ...(isStarting && { 'numbers.started': ['sequence', 1] as const }),
      'numbers.ended': ['sequence', isStarting ? 2 : 1],
      sequence: ['sequence', isStarting ? 2 : 1],
    },
  }
}
