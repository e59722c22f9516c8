import { type PlanLimits, limitsOfOwner } from '../access/plan-limits.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import type { FixedTask, Job, JobState, StoredFile, Task } from '../jobs/job.ts'
import { hasRecord } from '../jobs/job-state-machine.ts'
import type { Services } from '../services.ts'
import { findOperation, transferOperation } from '../tasks/index.ts'
import { Spec, type TaskOperation } from '../tasks/operation.ts'
import type { RequestedTask } from '../tasks/parse-tasks.ts'
import { uploadKey } from '../uploads.ts'
import type { Import, JobRequest } from './job-request.ts'

/** A job that is over as a request once more, with copies of its files: the old one may be deleted at any time. */
export async function retriedJob(
  state: JobState,
  services: Services,
): Promise<{
  job: Pick<JobRequest, 'tasks' | 'imports' | 'tag' | 'isBatch' | 'failFast'>
  discard: () => Promise<void>
}> {
  const { job } = state
  const all = [...state.fixed, ...state.tasks].sort((a, b) => a.number - b.number)
  const names = new Map(all.map(({ number, name }) => [number, name]))
  const copies: string[] = []
  const discard = () => services.files.delete(copies.splice(0))
  const imports = new Map<string, Import>()
  const bounds = await limitsOfOwner(job.owner, services)
  try {
    for (const task of all.filter(isHere)) imports.set(task.name, await again(task, bounds, services, copies))
  } catch (error) {
    await discard()
    throw error
  }
  return {
    job: {
      tasks: all.map((task) => requested(task, { job, names, services })),
      imports,
      ...(job.tag !== null && { tag: job.tag }),
      isBatch: job.require === 'any',
      failFast: job.failFast ?? false,
    },
    discard,
  }
}

/** Whose file came with the request; others are fetched again. */
const isHere = ({ operation }: FixedTask | Task) =>
  operation.startsWith('import/') && !transferOperation(operation)

async function again(
  task: FixedTask | Task,
  { retentionHours }: PlanLimits,
  services: Services,
  copies: string[],
): Promise<Import> {
  const [file] = task.files ?? []
  if (!file) return { refused: gone(task) }
  const key = uploadKey('received', newId('upl'), retentionHours)
  await services.files.copy(file, key)
  copies.push(key)
  return { source: sourceOf(file, key, services, copies) }
}

const gone = ({ name, message }: FixedTask | Task) =>
  new AppError('FILE_GONE', `tasks.${name}: there was no file to begin with. ${message ?? ''}`.trim(), {
    task: name,
  })

const sourceOf = (file: StoredFile, key: string, { files }: Services, copies: string[]) => ({
  ...{ field: 'file', filename: file.filename, key, size: file.size, sha256: file.sha256 },
  read: (start: number, end: number) => files.read(key, start, end),
  adopt: () => {
    copies.splice(copies.indexOf(key), 1)
  },
})

interface Known {
  readonly job: Job
  readonly names: ReadonlyMap<number, string>
  readonly services: Services
}

function requested(task: FixedTask | Task, { job, names, services }: Known): RequestedTask {
  const operation = findOperation(task.operation)
  if (!operation)
    throw new AppError(
      'UNSUPPORTED_CONVERSION',
      `The operation ${task.operation} of this job is no longer supported. Send a new request.`,
      { operation: task.operation },
    )
  return {
    ...{ name: task.name, operation },
    input: task.ins.flatMap((number) => names.get(number) ?? []),
    continueOnError: hasRecord(task) && task.continueOnError === true,
    fields: fieldsOf(services.vault.openAll(task.spec ?? {}, job.id), operation),
  }
}

/** One of a batch that had no target has nothing but its options, if it has those. */
const Asked = Spec.partial({ options: true })

function fieldsOf(spec: Readonly<Record<string, unknown>>, { kind }: TaskOperation) {
  if (kind !== 'process') return spec
  const { to, ...rest } = Asked.parse(spec)
  return { ...rest, ...(to !== undefined && { output_format: to }) }
}
