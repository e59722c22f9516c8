import type { FixedTask, JobState, StoredFile, Task } from '../model/job.ts'
import type { JobUsage } from '../model/job-usage.ts'
import { defined } from '../validation/defined.ts'
import { hasRecord, resultOfJob } from './job-state-machine.ts'

const isImport = ({ operation }: Pick<Task, 'operation'>) => operation.startsWith('import/')
const isWork = ({ operation }: Pick<Task, 'operation'>) => !/^(?:im|ex)port\//.test(operation)
const spanMs = (from: string | undefined, to: string | undefined) =>
  from === undefined || to === undefined ? 0 : Math.max(0, Date.parse(to) - Date.parse(from))
const bytesOf = (files: readonly StoredFile[] = []) => files.reduce((sum, { size }) => sum + size, 0)
const filesOf = (task: FixedTask | Task): readonly StoredFile[] =>
  hasRecord(task) && task.brought ? [task.brought] : (task.files ?? [])

/** Measures the usage of a job that is over. */
export function measureJobUsage(state: JobState): JobUsage {
  const { job, fixed, tasks } = state
  const work = tasks.filter(isWork)
  const { files, engine } = resultOfJob(state)
  const startedAt = job.startedAt
  return {
    format: files[0]?.format ?? job.display.target?.format ?? null,
    engine: engine ?? work.findLast((task) => task.engine !== undefined)?.engine ?? null,
    ...defined({ key: job.keyId }),
    workMs: work.reduce((sum, { startedAt, endedAt }) => sum + spanMs(startedAt, endedAt), 0),
    bytesIn: [...fixed, ...tasks].filter(isImport).reduce((sum, task) => sum + bytesOf(filesOf(task)), 0),
    bytesOut: job.status === 'completed' ? bytesOf(files) : 0,
    ...(startedAt !== undefined && {
      durationMs: spanMs(startedAt, job.endedAt),
      queueMs: spanMs(job.queuedAt ?? job.createdAt, startedAt),
    }),
  }
}
