import * as z from 'zod'
import { AppError } from '../../lib/errors.ts'
import { contract, type HttpRequest } from '../../lib/http/contract.ts'
import { createJobIdFields, loadOwnJob, parseJobIds } from '../../lib/http/own-jobs.ts'
import { selectResultsOfJobs } from '../../lib/jobs/select-results.ts'
import { driveAccess } from '../../lib/model/principal.ts'
import type { Services } from '../../lib/services/services.ts'
import { exportDriveOperation } from '../../lib/tasks/export-drive.ts'
import { DriveService } from '../../lib/transfer/drives/drive-service.ts'
import { defined } from '../../lib/validation/defined.ts'
import { text } from '../../lib/validation/maxima.ts'
import { Params } from './drive-parameters.ts'

/** Maximum number of files per request. The record of the task lists each stored file, and its size is limited. */
const maxFiles = 200

const Body = z.strictObject({
  connectionId: z.string().max(64).describe('A connection that was made with `access=write`, `conn_…`'),
  folderId: z
    .string()
    .min(1)
    .max(500)
    .default('root')
    .describe('Id of a folder from GET /v1/cloud/{drive}/list; the top folder by default'),
  ...createJobIdFields('Ids of your jobs whose results are saved; jobs that are not completed are left out'),
  task: text('id').optional().describe('Save only files of this task of `jobId`'),
  file: text('name').optional().describe('Name of one of several files of `jobId`'),
  tag: z.string().max(200).optional(),
})

export const exportToDrive = contract({
  method: 'POST',
  path: '/v1/cloud/:drive/export',
  access: driveAccess,
  tag: 'Drives',
  summary: 'Save results to a drive',
  description:
    'A job stores the results of other jobs in a folder of the drive. The task of this job lists the stored files with their locations. No file is replaced: if the folder already has a file with the same name, Dropbox and OneDrive add a number to the new name, and Google Drive keeps both files under this name.',
  params: Params,
  body: { accepts: ['json'], schema: Body },
  reply: {
    status: 202,
    headers: ['location', 'retry-after'],
    schema: z.object({
      jobId: z.string(),
      files: z.array(z.object({ filename: z.string(), size: z.int().describe('Size in bytes') })),
    }),
  },
  idempotent: true,
  createsWork: true,
  errors: [
    ...(['DRIVE_NOT_CONFIGURED', 'DRIVE_NOT_CONNECTED', 'INVALID_INPUT', 'EXPORT_FAILED'] as const),
    ...(['JOB_NOT_FOUND', 'TASK_NOT_FOUND', 'CONFLICT', 'URL_NOT_ALLOWED'] as const),
  ],
  handle: async (request, services) => {
    const { params, body, principal, requestId, newJobId } = request
    const drive = new DriveService(params.drive, services)
    const connection = await drive.requireConnection(principal.ownerId, body.connectionId, 'write')
    const { jobIds, files } = await findFiles(request, services)
    const folder = await drive.openFolder(connection, body.folderId)
    const { tag, task, file } = body
    const fields = { ...folder, jobIds, ...defined({ tasks: task === undefined ? task : [task], file }) }
    const exportTask = { name: 'export-drive', operation: exportDriveOperation, input: [], fields }
    // Loaded on demand, because most requests to this function only list files.
    const { startJob } = await import('../../lib/conversion/start-job.ts')
    const { job } = await startJob(
      {
        owner: principal.ownerId,
        keyId: principal.keyId,
        requestId,
        jobId: newJobId(),
        tag,
        tasks: [{ ...exportTask, continueOnError: false }],
        imports: new Map(),
      },
      services,
    )
    return {
      data: { jobId: job.id, files: files.map(({ filename, size }) => ({ filename, size })) },
      headers: { location: `/v1/jobs/${job.id}`, 'retry-after': '2' },
    }
  },
})

type Request = HttpRequest<unknown, unknown, z.infer<typeof Body>>

/** Finds the files to save and their jobs. @throws AppError CONFLICT if there are none; INVALID_INPUT if too many. */
async function findFiles({ body, principal }: Request, services: Services) {
  const { task, file } = body
  const requestedIds = parseJobIds(body, { task, file })
  const states = await Promise.all(requestedIds.map((id) => loadOwnJob(id, principal, services)))
  const tasks = task === undefined ? undefined : [task]
  const { jobIds, files } = selectResultsOfJobs(states, { tasks, file })
  if (files.length === 0)
    throw new AppError(
      'CONFLICT',
      'None of the requested results is completed, so there is nothing to save.',
      {
        jobs: states.map(({ job: { id, status } }) => ({ jobId: id, status })),
      },
    )
  if (files.length > maxFiles)
    throw new AppError(
      'INVALID_INPUT',
      `jobIds: expected jobs with at most ${maxFiles} files in all, got ${files.length}. Save them in several requests.`,
      { field: 'jobIds', max: maxFiles, got: files.length },
    )
  return { jobIds, files }
}
