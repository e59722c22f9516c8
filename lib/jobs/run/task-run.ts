import type { QueueId } from '../../resources/queues.ts'
import type { TaskRef } from '../keys.ts'
import type { TaskServices } from './task-services.ts'

/** A task that a message names, and the process that is to run it. */
export interface TaskRun {
  readonly ref: TaskRef
  /** The one that the message came from. */
  readonly queue: QueueId
  readonly services: TaskServices
  /** Keeps the message hidden from others for so many seconds from now. */
  extendVisibility(seconds: number): Promise<void>
  /** Fires when this process must end; the task goes back without losing an attempt. */
  readonly stopping: AbortSignal
  /** Fires when the disk is full: what is written now may be cut off, and the program need not notice. */
  readonly outOfSpace: AbortSignal
  /** Milliseconds that this process has left for the task. */
  readonly remainingMs: number
}
