import { getOwnerLimits, type PlanLimits } from '../accounts/plan-limits.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { hasRecord } from '../jobs/job-state-machine.ts'
import { packsResults } from '../jobs/results-zip.ts'
import type { FixedTask, Job, JobState, StoredFile, Task } from '../model/job.ts'
import type { Services } from '../services/services.ts'
import { findTaskOperation, findTransferOperation } from '../tasks/index.ts'
import { type TaskOperation, TaskSpec } from '../tasks/operation.ts'
import type { RequestedTask } from '../tasks/parse-tasks.ts'
import { createUploadKey } from '../uploads/uploads.ts'
import { defined } from '../validation/defined.ts'
import type { ImportSource, JobRequest } from './job-request.ts'

/**
 * Turns a finished job into a new request, with copies of its files, because the old job may be deleted at any time.
 */
export async function createRetryRequest(
  state: JobState,
  services: Services,
): Promise<{
  job: Pick<JobRequest, 'tasks' | 'imports' | 'tag' | 'isBatch' | 'failFast' | 'packsResults'>
  discard: () => Promise<void>
}> {
  const { job } = state
  const allTasks = [...state.fixed, ...state.tasks].sort((a, b) => a.number - b.number)
  const names = new Map(allTasks.map(({ number, name }) => [number, name]))
  const copiedKeys: string[] = []
  const discard = () => services.files.delete(copiedKeys.splice(0))
  const imports = new Map<string, ImportSource>()
  const planLimits = await getOwnerLimits(job.owner, services)
  try {
    for (const task of allTasks.filter(isStoredImport))
      imports.set(task.name, await copySource(task, planLimits, services, copiedKeys))
  } catch (error) {
    await discard()
    throw error
  }
  return {
    job: {
      tasks: allTasks.map((task) => toRequestedTask(task, { job, names, services })),
      imports,
      ...(job.tag !== null && { tag: job.tag }),
      isBatch: job.require === 'any',
      failFast: job.failFast ?? false,
      packsResults: packsResults(job),
    },
    discard,
  }
}

/** Whether the file of an import came with the request; other imports fetch their files again. */
const isStoredImport = ({ operation }: FixedTask | Task) =>
  operation.startsWith('import/') && !findTransferOperation(operation)

async function copySource(
  task: FixedTask | Task,
  { retentionHours }: PlanLimits,
  services: Services,
  copiedKeys: string[],
): Promise<ImportSource> {
  const [file] = task.files ?? []
  if (!file) return { refused: createMissingFileError(task) }
  const key = createUploadKey('received', newId('upl'), retentionHours)
  await services.files.copy(file, key)
  copiedKeys.push(key)
  return { source: createSourceFromCopy(file, key, services, copiedKeys) }
}

const createMissingFileError = ({ name, message }: FixedTask | Task) =>
  new AppError('FILE_GONE', `tasks.${name}: the original job had no file. ${message ?? ''}`.trim(), {
    task: name,
  })

const createSourceFromCopy = (file: StoredFile, key: string, { files }: Services, copiedKeys: string[]) => ({
  field: 'file',
  filename: file.filename,
  key,
  size: file.size,
  sha256: file.sha256,
  read: (start: number, end: number) => files.read(key, start, end),
  adopt: () => {
    copiedKeys.splice(copiedKeys.indexOf(key), 1)
  },
})

interface RetryContext {
  readonly job: Job
  readonly names: ReadonlyMap<number, string>
  readonly services: Services
}

function toRequestedTask(task: FixedTask | Task, { job, names, services }: RetryContext): RequestedTask {
  const operation = findTaskOperation(task.operation)
  if (!operation)
    throw new AppError(
      'UNSUPPORTED_CONVERSION',
      `The operation ${task.operation} of this job is no longer supported. Send a new request.`,
      { operation: task.operation },
    )
  return {
    name: task.name,
    operation,
    input: task.ins.flatMap((number) => names.get(number) ?? []),
    sentInput: task.input,
    continueOnError: hasRecord(task) && task.continueOnError === true,
    fields: getFields(services.vault.unsealAll(task.spec ?? {}, job.id), operation),
  }
}

/** The spec of a batch item without a target may lack options. */
const StoredSpec = TaskSpec.partial({ options: true })

function getFields(spec: Readonly<Record<string, unknown>>, { kind }: TaskOperation) {
  if (kind !== 'process') return spec
  const { to, ...otherFields } = StoredSpec.parse(spec)
  return { ...otherFields, ...defined({ output_format: to }) }
}
