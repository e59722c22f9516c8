import type { FixedTask, JobState, StoredFile, Task } from '../model/job.ts'
import type { JobUsage } from '../model/job-usage.ts'
import { defined } from '../validation/defined.ts'
import { getJobResult, hasRecord } from './job-state-machine.ts'

const isImport = ({ operation }: Pick<Task, 'operation'>) => operation.startsWith('import/')
const isWork = ({ operation }: Pick<Task, 'operation'>) => !/^(?:im|ex)port\//.test(operation)
const getDurationMs = (from: string | undefined, to: string | undefined) =>
  from === undefined || to === undefined ? 0 : Math.max(0, Date.parse(to) - Date.parse(from))
const sumBytes = (files: readonly StoredFile[] = []) => files.reduce((sum, { size }) => sum + size, 0)
const getFiles = (task: FixedTask | Task): readonly StoredFile[] =>
  hasRecord(task) && task.brought ? [task.brought] : (task.files ?? [])

/** Measures the usage of a job that has ended. */
export function measureJobUsage(state: JobState): JobUsage {
  const { job, fixed, tasks } = state
  const processTasks = tasks.filter(isWork)
  const { files, engine } = getJobResult(state)
  const startedAt = job.startedAt
  return {
    format: files[0]?.format ?? job.display.target?.format ?? null,
    engine: engine ?? processTasks.findLast((task) => task.engine !== undefined)?.engine ?? null,
    ...defined({ key: job.keyId }),
    workMs: processTasks.reduce((sum, { startedAt, endedAt }) => sum + getDurationMs(startedAt, endedAt), 0),
    bytesIn: [...fixed, ...tasks].filter(isImport).reduce((sum, task) => sum + sumBytes(getFiles(task)), 0),
    bytesOut: job.status === 'completed' ? sumBytes(files) : 0,
    ...(startedAt !== undefined && {
      durationMs: getDurationMs(startedAt, job.endedAt),
      queueMs: getDurationMs(job.queuedAt ?? job.createdAt, startedAt),
    }),
  }
}
