import { getOwnerLimits } from '../../lib/accounts/plan-limits.ts'
import { isVisibleToKey } from '../../lib/accounts/visible-to-key.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { listTaskFiles, nameExportFiles } from '../../lib/jobs/job-state-machine.ts'
import type { StoredFile } from '../../lib/model/job.ts'
import type { Services } from '../../lib/services/services.ts'
import { createUploadKey, uploadLifetimeS } from '../../lib/uploads/uploads.ts'
import { findTask, isUnfinished, type Request } from './call-endpoint.ts'

/** A copy of a file of another job's task. The copy is an upload that one new job uses. */
export interface InputCopy {
  readonly uploadId: string
  readonly filename: string
  readonly key: string
}

/** How long to wait for an unfinished task; the rest of the request's time is for copying and creating the job. */
const maxTaskWaitS = 15

/**
 * Copies the files of a task.
 * @throws AppError NOT_FOUND; CONFLICT while the task is running; INVALID_INPUT if it failed or has no files.
 */
export async function copyTaskFiles(
  id: string,
  request: Request,
  services: Services,
): Promise<readonly InputCopy[]> {
  const initialTask = await findTask(id, request, services)
  const { job, name, task } = isUnfinished(initialTask.task.status)
    ? await findTask(id, request, services, maxTaskWaitS)
    : initialTask
  if (isUnfinished(task.status))
    throw new AppError(
      'CONFLICT',
      `input: the task ${id} has not finished. Wait for it, then send the request again.`,
      {
        field: 'input',
        status: task.status,
      },
    )
  const files = task.status === 'finished' ? await loadTaskFiles(job.jobId, name, request, services) : []
  if (files.length === 0)
    throw new AppError(
      'INVALID_INPUT',
      `input: the task ${id} ${task.status === 'finished' ? 'has no files' : 'has failed'}. Use a task that has files.`,
      { field: 'input' },
    )
  return Promise.all(files.map((file) => copyFile(file, request.principal, services)))
}

/** Other users may be able to see a job, but only its owner may use its files. */
async function loadTaskFiles(
  jobId: string,
  name: string,
  { principal }: Request,
  { jobs }: Services,
): Promise<readonly StoredFile[]> {
  const state = await jobs.store.getState(jobId)
  if (!state || state.job.owner !== principal.ownerId || !isVisibleToKey(state.job, principal))
    throw new AppError('JOB_NOT_FOUND', `input: you have no job ${jobId}.`, {
      field: 'input',
      jobId,
    })
  const task = [...state.fixed, ...state.tasks].find((candidate) => candidate.name === name)
  if (!task) return []
  return task.operation.startsWith('export/')
    ? nameExportFiles(task, state)
    : listTaskFiles(task.number, state)
}

async function copyFile(
  file: StoredFile,
  { ownerId: owner, keyId }: Request['principal'],
  services: Services,
): Promise<InputCopy> {
  const { retentionHours } = await getOwnerLimits(owner, services)
  const id = newId('upl')
  const key = createUploadKey('received', id, retentionHours)
  await services.files.copy(file, key)
  const now = Date.now()
  const upload = {
    id,
    owner,
    keyId: keyId ?? null,
    key,
    filename: file.filename,
    contentType: file.mimeType,
    size: file.size,
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + uploadLifetimeS * 1000).toISOString(),
  }
  await services.uploads.create(upload)
  return { uploadId: id, filename: file.filename, key }
}

/** Deletes copies that no job uses. */
export async function deleteCopies(
  copies: readonly InputCopy[],
  { files, uploads }: Services,
): Promise<void> {
  if (copies.length === 0) return
  await files.delete(copies.map(({ key }) => key))
  await uploads.delete(copies.map(({ uploadId }) => uploadId))
}
