import type { TaskRef } from '../../model/task-message.ts'
import type { QueueId } from '../../resources/queues.ts'
import type { TaskServices } from './task-services.ts'

/** A task named by a queue message, and the process that runs it. */
export interface TaskRun {
  readonly ref: TaskRef
  /** Queue of the message. */
  readonly queue: QueueId
  readonly services: TaskServices
  /** Whether this process also runs other tasks, which may crash it. */
  readonly isShared: boolean
  /** Id of this run of the service, if all of its workers end together. */
  readonly runId?: string | undefined
  /** Hides the message from other workers for this many seconds from now. */
  extendVisibility(seconds: number): Promise<void>
  /** Aborted when this process must stop; the task is then released without using up an attempt. */
  readonly stopSignal: AbortSignal
  /** Aborted when the disk is full: files may then be truncated without the program noticing. */
  readonly outOfSpaceSignal: AbortSignal
  /** Milliseconds that this process can still spend on the task. */
  readonly remainingMs: number
}
