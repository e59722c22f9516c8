import * as z from 'zod'
import { readAccess } from '../../lib/access/principal.ts'
import { startJob } from '../../lib/conversion/start-job.ts'
import { AppError } from '../../lib/errors.ts'
import { fileName, folderPath } from '../../lib/file-name.ts'
import { contract, type HttpRequest } from '../../lib/http/contract.ts'
import { CreatedJobView, createdJobReply, respondWithJob } from '../../lib/http/conversion-request.ts'
import { canRead, type JobReader, jobNotFound, requireJobId } from '../../lib/http/job-access.ts'
import { optionalBoolean } from '../../lib/http/query.ts'
import type { JobState } from '../../lib/jobs/job.ts'
import { listZipEntries } from '../../lib/jobs/zip-manifest.ts'
import type { Services } from '../../lib/services.ts'
import { exportUrlOperation } from '../../lib/tasks/export-url.ts'
import { packResultsOperation } from '../../lib/tasks/pack-results.ts'

const maxJobs = 100
/** Seconds in which a small ZIP is ready, so that its client is led to it at once. */
const defaultWaitS = 5

const Body = z.strictObject({
  jobIds: z
    .array(z.string())
    .min(1)
    .max(maxJobs)
    .optional()
    .describe('Jobs of yours whose results go in; those that are not completed stand in the manifest only'),
  jobId: z.string().optional().describe('One job, in place of `jobIds`'),
  tasks: z.array(z.string()).min(1).max(1000).optional().describe('Only files of these tasks of `jobId`'),
  folders: z
    .record(z.string(), z.string())
    .optional()
    .describe(
      'Where results lie in the ZIP, by job: `{"job_…": "album/2024"}`. Those of a job that is not named lie at the top',
    ),
  filename: z.string().min(1).max(200).default('results.zip').describe('Name of the ZIP'),
  manifest: z
    .boolean()
    .default(true)
    .describe('Adds `manifest.json`: for each file its job, task, source, name, size, SHA-256 and state'),
})

export const downloadZip = contract({
  method: 'POST',
  path: '/v1/download/zip',
  access: readAccess,
  tag: 'Jobs',
  summary: 'Download many results as one ZIP',
  description:
    'A job of its own makes the ZIP. One that is ready within seconds is answered with 303 and leads there (`curl -L`); else, and with `?async=true`, the job is answered: its result is the ZIP. What is compressed already is stored as it is; of files of one name in one folder the second is `name (2).ext`; above 4 GiB it is a ZIP64.',
  query: z.object({
    async: optionalBoolean.describe('Do not wait for the ZIP'),
  }),
  body: { accepts: ['json'], schema: Body },
  reply: {
    ...createdJobReply,
    otherStatuses: { 303: 'The ZIP is ready; `Location` leads to it' },
    schema: CreatedJobView,
  },
  idempotent: true,
  errors: ['JOB_NOT_FOUND', 'TASK_NOT_FOUND', 'CONFLICT', 'INVALID_INPUT', 'INSUFFICIENT_DISK_SPACE'],
  handle: async (request, services) => {
    const made = (await request.findEarlierJob()) ?? (await start(request, services))
    const prefer = request.headers['prefer'] ?? (request.query.async ? undefined : `wait=${defaultWaitS}`)
    const { remainingMs } = request
    const asked = { headers: { ...request.headers, prefer }, remainingMs, query: { redirect: true } }
    const { status, ...answer } = await respondWithJob(made, asked, services)
    // A job that is over without a ZIP has failed, and tells why.
    return { ...answer, status: status === 200 ? 202 : status }
  },
})

type Request = HttpRequest<unknown, unknown, z.infer<typeof Body>>

async function start(request: Request, services: Services): Promise<JobState> {
  const { body, principal, requestId, newJobId } = request
  const jobIds = requestedJobIds(body)
  const folders = foldersOf(body, jobIds)
  const states = await Promise.all(jobIds.map((id) => loadOwnJob(id, principal, services)))
  const entries = states.flatMap((state) => listZipEntries(state.job.id, state, body.tasks))
  if (!entries.some(({ file }) => file))
    throw new AppError(
      'CONFLICT',
      'Nothing of what was asked for is completed, so that there is nothing to download.',
      { jobs: states.map(({ job: { id, status } }) => ({ jobId: id, status })) },
    )
  const filename = withZipExtension(fileName(body.filename))
  const task = { input: [], continueOnError: false }
  return startJob(
    {
      ...{ owner: principal.ownerId, keyId: principal.keyId, requestId, jobId: newJobId() },
      tasks: [
        {
          ...{ ...task, name: 'pack-results', operation: packResultsOperation },
          fields: {
            ...{ jobIds, filename, manifest: body.manifest },
            ...(body.tasks && { tasks: body.tasks }),
            ...(folders && { folders }),
          },
        },
        { ...task, name: 'export-file', operation: exportUrlOperation, input: ['pack-results'], fields: {} },
      ],
      imports: new Map(),
    },
    services,
  )
}

function requestedJobIds({ jobIds, jobId, tasks }: z.infer<typeof Body>): readonly string[] {
  if ((jobIds === undefined) === (jobId === undefined))
    throw new AppError(
      'INVALID_INPUT',
      'jobIds: expected either jobIds or jobId, which say what to pack; got both or neither.',
      {
        field: 'jobIds',
      },
    )
  if (tasks && jobIds)
    throw new AppError(
      'INVALID_INPUT',
      'tasks: these are of one job. Send them with its jobId, not with jobIds.',
      {
        field: 'tasks',
      },
    )
  return [...new Set(jobIds ?? [jobId ?? ''])]
}

/** @throws AppError INVALID_INPUT for a job that is not asked for, and for what is no folder within the ZIP. */
function foldersOf({ folders }: z.infer<typeof Body>, jobIds: readonly string[]) {
  if (!folders) return undefined
  const clean = Object.entries(folders).map(([jobId, given]) => {
    const field = `folders.${jobId.slice(0, 64)}`
    if (!jobIds.includes(jobId))
      throw new AppError('INVALID_INPUT', `${field}: expected one of the jobs that are asked for.`, { field })
    const path = folderPath(given)
    if (path === undefined)
      throw new AppError(
        'INVALID_INPUT',
        `${field}: expected folders with "/" between, as album/2024, at most 32 of 1000 characters; neither ".." nor "." nor an empty one, no backslash and no control character.`,
        { field, got: given.slice(0, 100) },
      )
    return [jobId, path] as const
  })
  return Object.fromEntries(clean)
}

/** @throws AppError JOB_NOT_FOUND for one that is gone, or of somebody else. */
async function loadOwnJob(jobId: string, reader: JobReader, { jobs }: Services): Promise<JobState> {
  const state = await jobs.store.getState(requireJobId(jobId))
  if (!state || state.job.deletedAt || state.job.owner !== reader.ownerId || !canRead(state.job, reader))
    throw jobNotFound(jobId)
  return state
}

const withZipExtension = (name: string) => (/\.zip$/i.test(name) ? name : `${name}.zip`)
