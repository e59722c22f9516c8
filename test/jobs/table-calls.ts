import { isTerminalStatus, type Job } from '../../lib/model/job.ts'
import { isWrite } from './simulated-aws.ts'

/** A call to the table. */
export interface Call {
  readonly name: string
  readonly keys: readonly string[]
  readonly isWrite: boolean
}

export function toCall(command: unknown): Call {
  // All commands of the document client have this shape.
  const { constructor: kind, input } = command as { constructor: { name: string }; input: object }
  const name = kind.name.replace('Command', '')
  return { name, keys: [...listKeys(input)], isWrite: isWrite(command) }
}

/** Keys of all items that a command reads or writes. */
function* listKeys(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null || value instanceof Set) return
  if ('pk' in value && 'sk' in value) {
    yield `${String(value.pk).replace(/^JOB#job_[^#]*/, 'JOB')} ${value.sk}`
    return
  }
  for (const item of Object.values(value)) yield* listKeys(item)
}

/** Whether a job only waits for the end of its retention. */
export const isFinishedJob = (item: Record<string, unknown> | undefined) =>
  item === undefined ||
  item['wakeAt'] === undefined ||
  (isTerminalStatus(item['status'] as Job['status']) &&
    item['status'] !== 'expired' &&
    !item['unsaid'] &&
    !item['deletedAt'])
