import { EventEmitter } from 'node:events'

/**
 * Ids of jobs that this process brought to their end, as it stored that. For who waits nearby: events tell the world
 * of it, but go by way of the bus. Each id is the name of its event.
 */
export const jobEnds = new EventEmitter().setMaxListeners(0)

/** Name of the event that carries every id. */
export const anyJob = Symbol('any job')

export function announceEnd(jobId: string): void {
  jobEnds.emit(jobId)
  jobEnds.emit(anyJob, jobId)
}
