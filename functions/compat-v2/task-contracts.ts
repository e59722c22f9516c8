import * as z from 'zod'
import { AppError } from '../../lib/errors.ts'
import { type AnyContract, contract } from '../../lib/http/contract.ts'
import type { JobView } from '../../lib/jobs/view.ts'
import { readAccess, writeAccess } from '../../lib/model/principal.ts'
import { taskOperations } from '../../lib/tasks/index.ts'
import { createFileJsonSchema, text } from '../../lib/validation/maxima.ts'
import { toCompatOperation } from '../../lib/webhooks/compat-names.ts'
import { cancelJob } from '../routes/cancel-job.ts'
import { deleteJob } from '../routes/delete-job.ts'
import { retryJob } from '../routes/retry-job.ts'
import {
  callEndpoint,
  compatDefaults,
  dataReply,
  emptyReply,
  findCompatTask,
  findTask,
  isUnfinished,
  maxWaitS,
  redirectTo,
  waitReply,
} from './call-endpoint.ts'
import { SingleTaskBody, wrapSingleTask } from './job-request.ts'
import { taskId, toCompatJobView } from './job-view.ts'
import { startCompatJob } from './start-job.ts'

const TaskParams = z.object({ taskId: text('name') })

const showTask = contract({
  ...compatDefaults,
  method: 'GET',
  path: '/v2/tasks/:taskId',
  access: readAccess,
  summary: 'See a task',
  params: TaskParams,
  reply: { status: 200, ...dataReply },
  handle: async (request, services) => {
    const { task } = await findTask(request.params.taskId, request, services)
    return { data: { data: task } }
  },
})

const waitForTaskContracts = ['/sync/v2/tasks/:taskId', '/v2/tasks/:taskId/wait'].map((path) =>
  contract({
    ...compatDefaults,
    method: 'GET',
    path,
    access: readAccess,
    summary: 'Wait for a task',
    params: TaskParams,
    reply: { status: 200, ...waitReply, ...dataReply },
    handle: async (request, services) => {
      const { taskId: id } = request.params
      const taskBefore = await findTask(id, request, services)
      const { task } = isUnfinished(taskBefore.task.status)
        ? await findTask(id, request, services, maxWaitS)
        : taskBefore
      return {
        data: { data: task },
        ...(isUnfinished(task.status) && redirectTo(path.replace(':taskId', id))),
      }
    },
  }),
)

const cancelTask = contract({
  ...compatDefaults,
  method: 'POST',
  path: '/v2/tasks/:taskId/cancel',
  access: writeAccess,
  summary: 'Cancel a task and the job that it belongs to',
  params: TaskParams,
  reply: { status: 200, ...dataReply },
  handle: async (request, services) => {
    const { job, name } = await findTask(request.params.taskId, request, services)
    const cancelledJob = await callEndpoint<JobView>(
      cancelJob,
      request,
      { params: { jobId: job.jobId } },
      services,
    )
    return { data: { data: findCompatTask(cancelledJob, name, services) } }
  },
})

const retryTask = contract({
  ...compatDefaults,
  method: 'POST',
  path: '/v2/tasks/:taskId/retry',
  access: writeAccess,
  summary: 'Retry the job of a task',
  params: TaskParams,
  reply: { status: 201, ...dataReply },
  idempotent: true,
  createsWork: true,
  handle: async (request, services) => {
    const { job, name } = await findTask(request.params.taskId, request, services)
    const retriedJob = await callEndpoint<JobView>(
      retryJob,
      request,
      { params: { jobId: job.jobId } },
      services,
    )
    const task = findCompatTask(retriedJob, name, services)
    return { data: { data: { ...task, retry_of_task_id: taskId(job.jobId, name) } } }
  },
})

const removeTask = contract({
  ...compatDefaults,
  method: 'DELETE',
  path: '/v2/tasks/:taskId',
  access: writeAccess,
  summary: 'Delete a standalone task',
  params: TaskParams,
  reply: emptyReply,
  handle: async (request, services) => {
    const { job } = await findTask(request.params.taskId, request, services)
    if (toCompatJobView(job, '').tasks.length > 1)
      throw new AppError(
        'CONFLICT',
        'The task belongs to a job with several tasks. Delete the job instead.',
        {
          jobId: job.jobId,
        },
      )
    await callEndpoint(deleteJob, request, { params: { jobId: job.jobId } }, services)
    return { data: null }
  },
})

/** Endpoints that start a single task. Its inputs may be files of finished tasks of other jobs; see `start-job.ts`. */
const startTaskContracts = taskOperations.map(({ name: nativeName }) => {
  const operation = toCompatOperation(nativeName)
  return contract({
    ...compatDefaults,
    method: 'POST',
    path: `/v2/${operation}`,
    access: writeAccess,
    summary: `Run ${operation} as a single task`,
    body: { accepts: ['json'], schema: SingleTaskBody },
    reply: { status: 201, ...dataReply },
    idempotent: true,
    createsWork: true,
    handle: async (request, services) => {
      const { name, body } = wrapSingleTask(operation, request.body)
      const job = await startCompatJob(body, request, services)
      return { data: { data: findCompatTask(job, name, services) } }
    },
  })
})

/** Operations of the imitated API that have no equivalent: clients get an error in the format that their SDK reads. */
const unsupportedTaskContracts = ['command', 'import/openstack', 'export/openstack'].map((operation) =>
  contract({
    ...compatDefaults,
    method: 'POST',
    path: `/v2/${operation}`,
    access: writeAccess,
    summary: `Report that ${operation} is not supported`,
    body: { accepts: ['json'], schema: z.object({}).catchall(createFileJsonSchema()) },
    reply: { status: 201, ...dataReply },
    handle: () => {
      throw new AppError('INVALID_INPUT', `operation: ${operation} is not supported.`, {
        field: 'operation',
      })
    },
  }),
)

export const taskContracts: readonly AnyContract[] = [
  showTask,
  ...waitForTaskContracts,
  cancelTask,
  retryTask,
  removeTask,
  ...startTaskContracts,
  ...unsupportedTaskContracts,
]
