import * as z from 'zod'
import { readAccess, writeAccess } from '../../lib/access/principal.ts'
import { AppError } from '../../lib/errors.ts'
import { type AnyContract, contract } from '../../lib/http/contract.ts'
import type { JobView } from '../../lib/jobs/view.ts'
import { taskOperations } from '../../lib/tasks/index.ts'
import { theirOperation } from '../../lib/webhooks/compat-names.ts'
import { cancelJob } from '../routes/cancel-job.ts'
import { deleteJob } from '../routes/delete-job.ts'
import { retryJob } from '../routes/retry-job.ts'
import { again, ask, common, data, foundTask, gone, isLive, mayWait, taskIn, waitS } from './call-endpoint.ts'
import { AloneBody, aloneJob } from './job-request.ts'
import { taskId, theirJob } from './job-view.ts'
import { startTheirJob } from './start-job.ts'

const TaskParams = z.object({ taskId: z.string() })

const showTask = contract({
  ...common,
  method: 'GET',
  path: '/v2/tasks/:taskId',
  access: readAccess,
  summary: 'See a task',
  params: TaskParams,
  reply: { status: 200, ...data },
  handle: async (request, services) => {
    const { task } = await foundTask(request.params.taskId, request, services)
    return { data: { data: task } }
  },
})

const waitForTask = ['/sync/v2/tasks/:taskId', '/v2/tasks/:taskId/wait'].map((path) =>
  contract({
    ...common,
    method: 'GET',
    path,
    access: readAccess,
    summary: 'Wait for a task',
    params: TaskParams,
    reply: { status: 200, ...mayWait, ...data },
    handle: async (request, services) => {
      const { taskId: id } = request.params
      const before = await foundTask(id, request, services)
      const { task } = isLive(before.task.status) ? await foundTask(id, request, services, waitS) : before
      return { data: { data: task }, ...(isLive(task.status) && again(path.replace(':taskId', id))) }
    },
  }),
)

const cancelTask = contract({
  ...common,
  method: 'POST',
  path: '/v2/tasks/:taskId/cancel',
  access: writeAccess,
  summary: 'Cancel a task, and with it its job',
  params: TaskParams,
  reply: { status: 200, ...data },
  handle: async (request, services) => {
    const { job, name } = await foundTask(request.params.taskId, request, services)
    const cancelled = await ask<JobView>(cancelJob, request, { params: { jobId: job.jobId } }, services)
    return { data: { data: taskIn(cancelled, name, services) } }
  },
})

const retryTask = contract({
  ...common,
  method: 'POST',
  path: '/v2/tasks/:taskId/retry',
  access: writeAccess,
  summary: 'Do the job of a task again',
  params: TaskParams,
  reply: { status: 201, ...data },
  idempotent: true,
  handle: async (request, services) => {
    const { job, name } = await foundTask(request.params.taskId, request, services)
    const made = await ask<JobView>(retryJob, request, { params: { jobId: job.jobId } }, services)
    const task = taskIn(made, name, services)
    return { data: { data: { ...task, retry_of_task_id: taskId(job.jobId, name) } } }
  },
})

const removeTask = contract({
  ...common,
  method: 'DELETE',
  path: '/v2/tasks/:taskId',
  access: writeAccess,
  summary: 'Delete a task that stands alone',
  params: TaskParams,
  reply: gone,
  handle: async (request, services) => {
    const { job } = await foundTask(request.params.taskId, request, services)
    if (theirJob(job, '').tasks.length > 1)
      throw new AppError('CONFLICT', 'The task belongs to a job of several tasks. Delete the job.', {
        jobId: job.jobId,
      })
    await ask(deleteJob, request, { params: { jobId: job.jobId } }, services)
    return { data: null }
  },
})

/** What takes files takes them from tasks that have come to their end, or soon do: see `start-job.ts`. */
const startTask = taskOperations.map(({ name: ours }) => {
  const operation = theirOperation(ours)
  return contract({
    ...common,
    method: 'POST',
    path: `/v2/${operation}`,
    access: writeAccess,
    summary: `Run ${operation} by itself`,
    body: { accepts: ['json'], schema: AloneBody },
    reply: { status: 201, ...data },
    idempotent: true,
    handle: async (request, services) => {
      const { name, body } = aloneJob(operation, request.body)
      const job = await startTheirJob(body, request, services)
      return { data: { data: taskIn(job, name, services) } }
    },
  })
})

/** Theirs, of which nothing here is like them: whoever asks hears it in the form that his SDK reads. */
const leftOut = ['command', 'import/openstack', 'export/openstack'].map((operation) =>
  contract({
    ...common,
    method: 'POST',
    path: `/v2/${operation}`,
    access: writeAccess,
    summary: `Say that there is no ${operation}`,
    body: { accepts: ['json'], schema: z.looseObject({}) },
    reply: { status: 201, ...data },
    handle: () => {
      throw new AppError('INVALID_INPUT', `operation: ${operation} is not offered here.`, {
        field: 'operation',
      })
    },
  }),
)

export const taskContracts: readonly AnyContract[] = [
  showTask,
  ...waitForTask,
  cancelTask,
  retryTask,
  removeTask,
  ...startTask,
  ...leftOut,
]
