import * as z from 'zod'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import { linkTo, reprDigest } from '../../lib/http/file-link.ts'
import { checkedJobId, JobParams, jobNotFound } from '../../lib/http/job-access.ts'
import { optionalBoolean } from '../../lib/http/query.ts'
import type { Job, JobState, StoredFile } from '../../lib/jobs/job.ts'
import { isRecorded, namedFiles, resultFiles } from '../../lib/jobs/machine.ts'
import type { Services } from '../../lib/services.ts'

export const downloadResult = contract({
  method: 'GET',
  path: '/v1/download/:jobId',
  tag: 'Jobs',
  summary: 'Download the result',
  description:
    'Redirects to the file itself, which answers `Range` and carries an `ETag`. Follow the redirect (`curl -L`). `Repr-Digest` has the SHA-256 of the file (RFC 9530), whose bytes you can check by it.',
  params: JobParams,
  query: z.object({
    file: z.string().optional().describe('Name of one of several result files'),
    task: z.string().optional().describe('Name of the task whose file is wanted'),
    inline: optionalBoolean.describe(
      'Show in the browser instead of saving: pictures, sound, films, plain text and JSON. What could run scripts, as HTML, SVG and PDF, is saved all the same',
    ),
  }),
  reply: { status: 302, schema: z.null(), form: 'empty' },
  errors: ['JOB_NOT_FOUND', 'TASK_NOT_FOUND', 'CONFLICT', 'FILE_GONE'],
  handle: async ({ params, query, method }, services) => {
    const jobId = checkedJobId(params.jobId)
    const job = await services.jobs.store.job(jobId)
    if (!job || job.deletedAt) throw jobNotFound(jobId)
    requireFinished(job)
    const file = await pick(job, query, services)
    const { inline } = query
    const location = await linkTo(file, services, { inline, method: method === 'HEAD' ? 'HEAD' : 'GET' })
    const digest = reprDigest(file)
    return { data: null, headers: { location, ...(digest && { 'repr-digest': digest }) } }
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

/** The result stands in the job's record as a rule; other files are with their tasks. */
async function pick(
  job: Job,
  query: { file?: string | undefined; task?: string | undefined },
  { jobs }: Services,
): Promise<StoredFile> {
  if (query.task === undefined && job.result) return named(job.result.files, query.file)
  const state = await jobs.store.whole(job.id)
  if (!state) throw jobNotFound(job.id)
  return named(query.task === undefined ? resultFiles(state) : filesOf(query.task, state), query.file)
}

function filesOf(name: string, state: JobState): readonly StoredFile[] {
  const all = [...state.fixed, ...state.tasks]
  const task = all.find((one) => one.name === name && !one.operation.startsWith('import/'))
  if (!task) {
    throw new AppError('TASK_NOT_FOUND', `The job has no task "${name.slice(0, 64)}" with a result.`, {
      task: name,
      tasks: all.map((one) => one.name).slice(0, 100),
    })
  }
  return isRecorded(task) ? task.files : namedFiles(task, state)
}

function named(files: readonly StoredFile[], name: string | undefined): StoredFile {
  const file = name === undefined ? files[0] : files.find(({ filename }) => filename === name)
  if (file) return file
  throw new AppError('TASK_NOT_FOUND', `The job has no result file "${(name ?? '').slice(0, 200)}".`, {
    file: name,
    files: files.map(({ filename }) => filename).slice(0, 100),
  })
}
