import { EventEmitter } from 'node:events'
import type { Job } from './job.ts'

/**
 * Jobs that this process brought to their end, as it stored that. For who waits nearby: events tell the world of it,
 * but go by way of the bus. The id of each is the name of its event.
 */
export const jobEndEmitter = new EventEmitter().setMaxListeners(0)

/** Name of the event that carries every job. */
export const anyJob = Symbol('any job')

export function emitJobEnd(job: Job): void {
  jobEndEmitter.emit(job.id, job)
  jobEndEmitter.emit(anyJob, job)
}
