import { jobEndEmitter } from '../../jobs/job-end-emitter.ts'
import type { WaitForJobChange } from '../../jobs/jobs.ts'
import type { Job } from '../../model/job.ts'

/**
 * After this time the caller reads the job, because a process that dies right after storing a job's end sends no
 * notification.
 */
const maxWaitMs = 1000

/** Wakes a waiting request when its job ends in this process or in one of the workers. */
export const waitForJobEnd: WaitForJobChange = (jobId, { remainingMs }) =>
  new Promise((resolve) => {
    const resolveAndStop = (job?: Job) => {
      clearTimeout(timer)
      jobEndEmitter.off(jobId, resolveAndStop)
      resolve(job)
    }
    const timer = setTimeout(() => resolveAndStop(), Math.min(remainingMs, maxWaitMs))
    jobEndEmitter.on(jobId, resolveAndStop)
  })
