import { EventEmitter } from 'node:events'
import * as z from 'zod'
import type { JobHint } from '../jobs/jobs.ts'

const JobEvent = z.looseObject({ detail: z.looseObject({ job: z.looseObject({ id: z.string() }) }) })

/** An event may come late, when the bus delivers it again; then the job itself is looked at. */
const longestMs = 2000

/** Tells waiting requests of this process that a job changed, from the events of the bus. */
export class Hints {
  readonly #emitter = new EventEmitter().setMaxListeners(0)

  /** Takes an event as the bus delivers it. */
  hear(payload: unknown): void {
    const event = JobEvent.safeParse(payload)
    if (event.success) this.#emitter.emit(event.data.detail.job.id)
  }

  readonly wait: JobHint = (jobId, { leftMs }) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#emitter.off(jobId, done)
        resolve()
      }
      const timer = setTimeout(done, Math.min(leftMs, longestMs))
      this.#emitter.on(jobId, done)
    })
}
