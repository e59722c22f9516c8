import * as z from 'zod'
import { startPacking } from '../../lib/conversion/start-packing.ts'
import { AppError } from '../../lib/errors.ts'
import { contract, type HttpRequest } from '../../lib/http/contract.ts'
import { CreatedJobView, createdJobStatuses, respondWithJob } from '../../lib/http/conversion-request.ts'
import { createJobIdFields, loadOwnJob, parseJobIds } from '../../lib/http/own-jobs.ts'
import { optionalBooleanParameter } from '../../lib/http/query.ts'
import { listZipEntries } from '../../lib/jobs/zip-manifest.ts'
import type { JobState } from '../../lib/model/job.ts'
import { readAccess } from '../../lib/model/principal.ts'
import { sanitizeFileName, sanitizeFolderPath } from '../../lib/names/file-name.ts'
import type { Services } from '../../lib/services/services.ts'
import { integer } from '../../lib/validation/coerce.ts'
import { defined } from '../../lib/validation/defined.ts'
import { createNamedValues, text } from '../../lib/validation/maxima.ts'

/**
 * Default time to wait for the ZIP. Most small ZIPs are ready within this time, so that clients are redirected
 * immediately.
 */
const defaultWaitS = 5

const Body = z.strictObject({
  ...createJobIdFields(
    'Ids of your jobs whose results the ZIP contains; jobs that are not completed are only listed in the manifest',
  ),
  tasks: z
    .array(text('id'))
    .min(1)
    .max(1000)
    .optional()
    .describe('Include only files of these tasks of `jobId`'),
  folders: createNamedValues(text('id'), text('name'))
    .optional()
    .describe(
      'Folders in the ZIP by job: `{"job_…": "album/2024"}`. Results of other jobs are at the top level',
    ),
  filename: z.string().min(1).max(200).default('results.zip').describe('Name of the ZIP'),
  nameTemplate: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Template for the file names in the ZIP; may contain `{name} {ext} {jobId} {index} {date}`'),
  firstIndex: integer(1, 1_000_000)
    .optional()
    .describe(
      'Value of `{index}` for the first file, 1 by default; set it to continue the numbering of another ZIP',
    ),
  manifest: z
    .boolean()
    .default(true)
    .describe('Add `manifest.json` with the job, task, source, name, size, SHA-256 and state of each file'),
})

export const downloadZip = contract({
  method: 'POST',
  path: '/v1/download/zip',
  access: readAccess,
  tag: 'Jobs',
  summary: 'Download many results as one ZIP',
  description:
    'A separate job creates the ZIP. If it is ready within seconds, the reply is a 303 redirect to it (`curl -L`). Otherwise, and with `?async=true`, the reply is the job, whose result is the ZIP. Already compressed files are stored without compression. If two files in a folder have the same name, the second becomes `name (2).ext`. A ZIP above 4 GiB is a ZIP64.',
  query: z.object({
    async: optionalBooleanParameter.describe('Do not wait for the ZIP'),
  }),
  body: { accepts: ['json'], schema: Body },
  reply: {
    ...createdJobStatuses,
    otherStatuses: { 303: 'The ZIP is ready; `Location` leads to it' },
    schema: CreatedJobView,
  },
  idempotent: true,
  errors: ['JOB_NOT_FOUND', 'TASK_NOT_FOUND', 'CONFLICT', 'INVALID_INPUT', 'INSUFFICIENT_DISK_SPACE'],
  handle: async (request, services) => {
    const createdState = (await request.findEarlierJob()) ?? (await start(request, services))
    const prefer = request.headers['prefer'] ?? (request.query.async ? undefined : `wait=${defaultWaitS}`)
    const { remainingMs } = request
    const waitRequest = { headers: { ...request.headers, prefer }, remainingMs, query: { redirect: true } }
    const { status, ...answer } = await respondWithJob(createdState, waitRequest, services)
    // A job that finished without a ZIP has failed; its status contains the error.
    return { ...answer, status: status === 200 ? 202 : status }
  },
})

type Request = HttpRequest<unknown, unknown, z.infer<typeof Body>>

async function start(request: Request, services: Services): Promise<JobState> {
  const { body, principal, requestId, newJobId } = request
  const { nameTemplate, firstIndex } = body
  if (firstIndex !== undefined && nameTemplate === undefined)
    throw new AppError(
      'INVALID_INPUT',
      'firstIndex: only allowed with nameTemplate, which numbers the files.',
      {
        field: 'firstIndex',
      },
    )
  const jobIds = parseJobIds(body, { tasks: body.tasks })
  const folders = parseFolders(body, jobIds)
  const states = await Promise.all(jobIds.map((id) => loadOwnJob(id, principal, services)))
  const entries = states.flatMap((state) => listZipEntries(state.job.id, state, body.tasks))
  if (!entries.some(({ file }) => file))
    throw new AppError(
      'CONFLICT',
      'None of the requested results is completed, so there is nothing to download.',
      { jobs: states.map(({ job: { id, status } }) => ({ jobId: id, status })) },
    )
  const filename = withZipExtension(sanitizeFileName(body.filename))
  return startPacking(
    { owner: principal.ownerId, keyId: principal.keyId, requestId, jobId: newJobId() },
    {
      jobIds: [...jobIds],
      filename,
      manifest: body.manifest,
      ...defined({ tasks: body.tasks, folders, nameTemplate, firstIndex }),
    },
    services,
  )
}

/** @throws AppError INVALID_INPUT for a job that was not requested, and for an invalid folder path. */
function parseFolders({ folders }: z.infer<typeof Body>, jobIds: readonly string[]) {
  if (!folders) return undefined
  const folderEntries = Object.entries(folders).map(([jobId, givenFolder]) => {
    const field = `folders.${jobId.slice(0, 64)}`
    if (!jobIds.includes(jobId))
      throw new AppError('INVALID_INPUT', `${field}: expected the id of one of the requested jobs.`, {
        field,
      })
    const path = sanitizeFolderPath(givenFolder)
    if (path === undefined)
      throw new AppError(
        'INVALID_INPUT',
        `${field}: expected a path such as album/2024, with at most 32 folders and 1000 characters, without "..", ".", empty folders, backslashes and control characters.`,
        { field, got: givenFolder.slice(0, 100) },
      )
    return [jobId, path] as const
  })
  return Object.fromEntries(folderEntries)
}

const withZipExtension = (name: string) => (/\.zip$/i.test(name) ? name : `${name}.zip`)
