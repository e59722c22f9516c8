import type { JobView } from '../../lib/jobs/view.ts'
import { listInputNames } from '../../lib/model/task-input.ts'
import { isInternalTask, toCompatOperation } from '../../lib/webhooks/compat-names.ts'
import { internalExportPrefix } from './job-request.ts'

const compatStatuses: Readonly<Record<string, string>> = {
  pending: 'waiting',
  queued: 'waiting',
  processing: 'processing',
  completed: 'finished',
  failed: 'error',
  cancelled: 'error',
  expired: 'error',
}
const toCompatStatus = (nativeStatus: string) => compatStatuses[nativeStatus] ?? 'waiting'

export const taskId = (jobId: string, name: string) => `${jobId}.${name}`

/** Splits a task id into the job's id and the task's name. */
export function parseTaskId(id: string): { readonly jobId: string; readonly name: string } {
  const [jobId = '', ...name] = id.split('.')
  return { jobId, name: name.join('.') }
}

type NativeTaskView = JobView['tasks'][string]

function toCompatTaskView(
  job: Pick<JobView, 'jobId' | 'tag'>,
  name: string,
  task: NativeTaskView,
  base: string,
) {
  const id = taskId(job.jobId, name)
  const inputs = listInputNames(task.input).filter((input) => !isInternalTask(input))
  return {
    id,
    job_id: job.jobId,
    name,
    operation: toCompatOperation(task.operation),
    status: toCompatStatus(task.status),
    code: task.code,
    message: task.message,
    percent: task.percent,
    credits: null,
    created_at: task.createdAt,
    started_at: task.startedAt,
    ended_at: task.endedAt,
    retry_of_task_id: null,
    copy_of_task_id: null,
    depends_on_task_ids: inputs.map((input) => taskId(job.jobId, input)),
    engine: task.engine,
    engine_version: task.engineVersion,
    // Omits all other fields of the request, which may contain passwords.
    payload: { operation: toCompatOperation(task.operation), input: inputs },
    host_name: null,
    storage: null,
    result: toCompatResult(task),
    links: { self: `${base}/v2/tasks/${id}` },
  }
}

function toCompatResult({ result }: NativeTaskView) {
  if (!result) return null
  if ('form' in result) return { form: result.form }
  return { files: result.files.map(({ filename, size, url }) => ({ filename, size, url })) }
}

export function toCompatJobView(job: JobView, base: string) {
  const tasks = Object.entries(job.tasks).filter(([name]) => !isInternalTask(name))
  return {
    id: job.jobId,
    tag: job.tag,
    status: toCompatStatus(job.status),
    created_at: job.createdAt,
    started_at: job.startedAt,
    ended_at: job.endedAt,
    tasks: tasks.map(([name, task]) => toCompatTaskView(job, name, withExportLinks(job, name, task), base)),
    links: { self: `${base}/v2/jobs/${job.jobId}` },
  }
}

/** Returns the task with the links from its internal export task, which the client does not see. */
function withExportLinks(job: JobView, name: string, task: NativeTaskView): NativeTaskView {
  const exportTask = Object.entries(job.tasks).find(
    ([taskName, { input }]) =>
      taskName.startsWith(internalExportPrefix) && listInputNames(input).includes(name),
  )?.[1]
  return task.result || !exportTask ? task : { ...task, result: exportTask.result }
}
