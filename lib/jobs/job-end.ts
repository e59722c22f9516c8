import type { Change } from '../aws/table-expressions.ts'
import type { JobState } from './job.ts'
import { firstImportedFile, type JobOutcome } from './job-state-machine.ts'
import { listKeyOf } from './list.ts'

/** Bytes of a result that the job's own record takes. */
const maxInlineResultBytes = 2000

/** The write that ends a job; it starts it as well where nobody has told of that. */
export function jobEndChange(
  state: JobState,
  outcome: JobOutcome,
  endedBy: string,
  now = new Date(),
): Change {
  const { job } = state
  const { status, error, summary, result } = outcome
  const isStarting = job.status === 'queued'
  const firstStarted = state.tasks
    .filter(({ startedAt }) => startedAt !== undefined)
    .sort((a, b) => (a.startedAt ?? '').localeCompare(b.startedAt ?? '') || a.number - b.number)[0]
  // Retention counts from the end, so that a long conversion does not eat into it.
  const expiresAt = new Date(now.getTime() + job.retentionS * 1000).toISOString()
  const importedSource = job.display.source ? null : firstImportedFile(state)
  return {
    set: {
      ...{ status, error, summary, endedBy, expiresAt, wakeAt: expiresAt, endedAt: now.toISOString() },
      ...(JSON.stringify(result).length <= maxInlineResultBytes && { result }),
      ...(isStarting &&
        firstStarted && { startedAt: firstStarted.startedAt, startedWith: firstStarted.number }),
      ...(isStarting && { 'log.started': { at: now.toISOString() } }),
      ...(importedSource && { cameLater: importedSource }),
      listKey: listKeyOf(job.owner, status),
    },
    setPlus: {
      ...(isStarting && { 'numbers.started': ['sequence', 1] as const }),
      'numbers.ended': ['sequence', isStarting ? 2 : 1],
      sequence: ['sequence', isStarting ? 2 : 1],
    },
  }
}
