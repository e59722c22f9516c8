import { getOwnerLimits } from '../accounts/plan-limits.ts'
import { isVisibleToKey } from '../accounts/visible-to-key.ts'
import { AppError } from '../errors.ts'
import { idPattern, newId, quoteId } from '../ids.ts'
import { findTaskFiles } from '../jobs/find-task-files.ts'
import type { JobState, StoredFile } from '../model/job.ts'
import type { Principal } from '../model/principal.ts'
import type { Services } from '../services/services.ts'
import { createUploadKey } from '../uploads/uploads.ts'
import type { SourceFile } from './source.ts'

interface JobSourceRequest {
  readonly sourceJobId: string
  /** Task whose file is used; the source file of the job if omitted. */
  readonly sourceTask?: string | undefined
  readonly filename?: string | undefined
}

/**
 * Copies a file of an earlier job as the source of a new one, because the earlier job may be deleted at any time.
 * @returns the source, and a function that deletes the copy unless a job has adopted it. @throws AppError
 * JOB_NOT_FOUND, also for jobs of other owners; TASK_NOT_FOUND; FILE_GONE.
 */
export async function copySourceFromJob(
  { sourceJobId: jobId, sourceTask, filename }: JobSourceRequest,
  principal: Principal,
  services: Services,
): Promise<{ source: SourceFile; discard: () => Promise<void> }> {
  const state = idPattern('job').test(jobId) ? await services.jobs.store.getState(jobId) : undefined
  if (!state || state.job.deletedAt || !isAccessible(state, principal)) throw createJobNotFoundError(jobId)
  if (state.job.status === 'expired') throw createFileGoneError(jobId)
  const file = findFile(state, sourceTask)
  if (!file) throw createFileGoneError(jobId)
  const { retentionHours } = await getOwnerLimits(principal.ownerId, services)
  const key = createUploadKey('received', newId('upl'), retentionHours)
  await services.files.copy(file, key)
  let isAdopted = false
  return {
    source: {
      field: 'sourceJobId',
      filename: filename ?? file.filename,
      key,
      size: file.size,
      sha256: file.sha256,
      read: (start, end) => services.files.read(key, start, end),
      adopt: () => {
        isAdopted = true
      },
    },
    discard: async () => {
      if (!isAdopted) await services.files.delete([key])
    },
  }
}

/**
 * Whether a client may use the files of a job. A public key, which is part of a web page, only has access to jobs that
 * it created.
 */
const isAccessible = ({ job }: JobState, principal: Principal) =>
  job.owner === principal.ownerId && isVisibleToKey(job, principal)

function findFile(state: JobState, sourceTask: string | undefined): StoredFile | undefined {
  const allTasks = [...state.fixed, ...state.tasks].sort((a, b) => a.number - b.number)
  const imports = allTasks.filter(({ operation }) => operation.startsWith('import/'))
  if (sourceTask === undefined) return imports.find(({ files }) => files?.[0])?.files?.[0]
  const namedImport = imports.find(({ name }) => name === sourceTask)
  return namedImport ? namedImport.files?.[0] : findTaskFiles(sourceTask, state).files[0]
}

const createJobNotFoundError = (jobId: string) =>
  new AppError('JOB_NOT_FOUND', `sourceJobId: you have no job ${quoteId(jobId)}. Send the file again.`, {
    field: 'sourceJobId',
  })

const createFileGoneError = (jobId: string) =>
  new AppError('FILE_GONE', `sourceJobId: the file of ${jobId} has been deleted. Send it again.`, {
    field: 'sourceJobId',
    jobId,
  })
