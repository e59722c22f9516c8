import * as z from 'zod'
import type { Job } from '../lib/jobs/job.ts'
import type { JobFile } from '../lib/jobs/job-files.ts'
import { eventKind } from './event.ts'

/** What happens to a file of a job. */
export const fileEvents = {
  'file.deleted': eventKind({
    body: {
      file: z.object({
        jobId: z.string(),
        filename: z.string(),
        role: z.enum(['source', 'output']),
        reason: z.enum(['retention', 'request']),
      }),
    },
    // A file that somebody has deleted goes with the record of its job.
    moment: (job) => job.expiredAt ?? new Date().toISOString(),
    tell: ({ job }, file) => ({ file: deleted(job, file) }),
  }),
} as const

function deleted(job: Job, file: JobFile | undefined) {
  if (!file) throw new Error('an event of a file without the file')
  const reason: 'retention' | 'request' = job.status === 'expired' ? 'retention' : 'request'
  return { jobId: job.id, filename: file.filename, role: file.role, reason }
}
