import { createHmac } from 'node:crypto'
import { isInternalTask, toCompatOperation } from './compat-names.ts'

type EventFields = Readonly<Record<string, unknown>>

/**
 * Names of events and states in the API of functions/compat-v2. Other names are the same as in the service's own API.
 */
const compatEvents: Readonly<Record<string, string>> = {
  'job.completed': 'job.finished',
  'job.cancelled': 'job.failed',
}
const compatStatuses: Readonly<Record<string, string>> = {
  pending: 'waiting',
  queued: 'waiting',
  completed: 'finished',
  failed: 'error',
  cancelled: 'error',
}
const toCompatStatus = (status: unknown) => compatStatuses[String(status)] ?? status

interface EventJob {
  readonly id?: string
  readonly status?: string
  readonly tag?: string | null
  readonly createdAt?: string
  readonly startedAt?: string
  readonly endedAt?: string
  readonly error?: { readonly code?: string; readonly message?: string }
  readonly files?: readonly { readonly filename: string; readonly size: number; readonly url?: string }[]
  readonly tasks?: Readonly<Record<string, { readonly operation: string; readonly status: string }>>
}

/** Creates the body for a receiver that expects `{ event, job }` with tasks as a list. */
export function toCompatEvent({ event, job }: EventFields, base: string): EventFields {
  const {
    id,
    status,
    tag,
    createdAt,
    startedAt,
    endedAt,
    error,
    files = [],
    tasks = {},
  } = (job ?? {}) as EventJob // the schema of a job event
  return {
    event: compatEvents[String(event)] ?? event,
    job: {
      id,
      tag: tag ?? null,
      status: toCompatStatus(status),
      created_at: createdAt ?? null,
      started_at: startedAt ?? null,
      ended_at: endedAt ?? null,
      ...(error && { code: error.code, message: error.message }),
      tasks: Object.entries(tasks)
        .filter(([name]) => !isInternalTask(name))
        .map(([name, task]) => ({
          id: `${id}.${name}`,
          name,
          job_id: id,
          operation: toCompatOperation(task.operation),
          status: toCompatStatus(task.status),
          ...unavailableFields,
          percent: task.status === 'completed' ? 100 : null,
          links: { self: `${base}/v2/tasks/${id}.${name}` },
          result: task.operation === 'export/url' && files.length > 0 ? { files } : null,
        })),
      links: { self: `${base}/v2/jobs/${id}` },
    },
  }
}

/** Task fields of the compatible v2 API that events do not contain; clients find them in the task itself. */
const unavailableFields = {
  code: null,
  message: null,
  payload: null,
  created_at: null,
  started_at: null,
  ended_at: null,
  retry_of_task_id: null,
  copy_of_task_id: null,
  engine: null,
  engine_version: null,
  host_name: null,
  storage: null,
  credits: null,
  depends_on_task_ids: null,
}

/** Creates the signature header that a receiver for the compatible v2 API expects: the hex HMAC-SHA256 of the body. */
export const createCompatSignatureHeader = (body: Buffer, secret: string) => ({
  'cloudconvert-signature': createHmac('sha256', secret).update(body).digest('hex'),
})
