import { create as contentDisposition } from 'content-disposition'
import * as z from 'zod'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import type { Job, StoredFile } from '../../lib/jobs/job.ts'
import type { JobState } from '../../lib/jobs/machine.ts'
import { checkedJobId, JobParams, jobNotFound } from './job-access.ts'
import { optionalBoolean } from './query.ts'

/** Seconds that the address of the file itself works: long enough to start and resume a download. */
const linkLifetimeS = 3600

export const downloadResult = contract({
  method: 'GET',
  path: '/v1/download/:jobId',
  tag: 'Jobs',
  summary: 'Download the result',
  description:
    'Redirects to the file itself, which answers `Range` and carries an `ETag`. Follow the redirect (`curl -L`).',
  params: JobParams,
  query: z.object({
    file: z.string().optional().describe('Name of one of several result files'),
    task: z.string().optional().describe('Name of the task whose file is wanted'),
    inline: optionalBoolean.describe('Show in the browser instead of saving'),
  }),
  reply: { status: 302, schema: z.null(), form: 'empty' },
  errors: ['JOB_NOT_FOUND', 'TASK_NOT_FOUND', 'CONFLICT', 'FILE_GONE'],
  handle: async ({ params, query, method }, services) => {
    const jobId = checkedJobId(params.jobId)
    const state = await services.jobs.store.whole(jobId)
    if (!state) throw jobNotFound(jobId)
    requireFinished(state.job)
    const file = pick(state, query)
    const location = await services.files.downloadUrl({
      key: file.key,
      contentType: file.mimeType,
      disposition: contentDisposition(file.filename, { type: query.inline ? 'inline' : 'attachment' }),
      expiresS: linkLifetimeS,
      // A signature holds for one method.
      method: method === 'HEAD' ? 'HEAD' : 'GET',
    })
    return { data: null, headers: { location } }
  },
})

function requireFinished(job: Job): void {
  if (job.status === 'completed') return
  if (job.status === 'expired') {
    throw new AppError(
      'FILE_GONE',
      `The files of this job were deleted at ${job.expiredAt}, when its retention ended. Convert again.`,
      {
        expiredAt: job.expiredAt,
      },
    )
  }
  const reason = job.error
    ? `: ${job.error.message}`
    : job.status === 'cancelled'
      ? '.'
      : '; ask again when it is completed.'
  throw new AppError('CONFLICT', `There is nothing to download, the job is ${job.status}${reason}`, {
    status: job.status,
    ...(job.error && { error: job.error }),
  })
}

function pick(
  { job, tasks }: JobState,
  query: { file?: string | undefined; task?: string | undefined },
): StoredFile {
  const task = tasks.find(({ name, operation }) => name === query.task && operation !== 'import/upload')
  if (query.task !== undefined && !task) {
    throw new AppError('TASK_NOT_FOUND', `The job has no task "${query.task}" with a result.`, {
      task: query.task,
      tasks: job.taskNames,
    })
  }
  const files = task?.files ?? job.files
  const file = query.file === undefined ? files[0] : files.find(({ filename }) => filename === query.file)
  if (file) return file
  throw new AppError('TASK_NOT_FOUND', `The job has no result file "${query.file}".`, {
    file: query.file,
    files: files.map(({ filename }) => filename),
  })
}
