import { EventEmitter } from 'node:events'
import type { Job } from '../model/job.ts'

/**
 * Emits an event when this process has stored the end of a job, so that requests in the same process that wait for the
 * job need not wait for the event bus. The name of the event is the id of the job.
 */
export const jobEndEmitter = new EventEmitter().setMaxListeners(0)

/** Name of a second event that is emitted at the end of every job. */
export const anyJob = Symbol('any job')

export function emitJobEnd(job: Job): void {
  jobEndEmitter.emit(job.id, job)
  jobEndEmitter.emit(anyJob, job)
}
