import { EventEmitter } from 'node:events'
import type { Job } from '../model/job.ts'

/**
 * Emits each job whose end this process has stored, under the job's id, so that waiting requests in the same process
 * need not wait for the event bus.
 */
export const jobEndEmitter = new EventEmitter().setMaxListeners(0)

/** Event name under which every job is emitted as well. */
export const anyJob = Symbol('any job')

export function emitJobEnd(job: Job): void {
  jobEndEmitter.emit(job.id, job)
  jobEndEmitter.emit(anyJob, job)
}
