import { addResultLinks, type ResultLink } from '../links/result-links.ts'
import { defined } from '../validation/defined.ts'
import { createChatBlocks, createChatEmbed } from './chat.ts'
import { toCompatEvent } from './compat-event.ts'
import type { WebhookFormat } from './webhook.ts'

/** Maximum size of a body in bytes; events of jobs with many tasks are shortened. */
export const maxPayloadBytes = 64 * 1024

type EventFields = Readonly<Record<string, unknown>>

const types = { json: 'application/json; charset=utf-8' } as const

/**
 * Creates the body of a delivery, which is identical for each attempt: exactly these bytes are signed and sent.
 * @param storedBody the event as JSON.
 */
export function createPayload(
  storedBody: string,
  format: WebhookFormat,
  { baseUrl, resultLink }: { readonly baseUrl: string; readonly resultLink: ResultLink },
): { readonly body: Buffer; readonly contentType: string } {
  const event = addResultLinks(JSON.parse(storedBody) as EventFields, resultLink) // this service wrote an object
  return { body: Buffer.from(renderPayload(event, format, baseUrl)), contentType: types.json }
}

function renderPayload(event: EventFields, format: WebhookFormat, baseUrl: string): string {
  if (format === 'chat-blocks') return JSON.stringify(createChatBlocks(event))
  if (format === 'chat-embed') return JSON.stringify(createChatEmbed(event))
  if (format === 'facade-v2') return JSON.stringify(toCompatEvent(event, baseUrl))
  const candidates = [event, reduceToTaskStates(event, baseUrl), removeLists(event, baseUrl)].map(
    (candidate) => JSON.stringify(candidate),
  )
  return (
    candidates.find((candidate) => Buffer.byteLength(candidate) <= maxPayloadBytes) ?? candidates.at(-1) ?? ''
  )
}

interface JobFields {
  readonly id?: string
  readonly tasks?: Readonly<Record<string, { readonly status?: string; readonly result?: unknown }>>
}

// `JobFields` matches the schemas of all job events.
const getJob = ({ job }: EventFields) =>
  typeof job === 'object' && job !== null ? (job as JobFields) : undefined
const createLinks = ({ id }: JobFields, baseUrl: string) => ({ job: `${baseUrl}/v1/jobs/${id}` })

/** Reduces tasks to their states and results. */
function reduceToTaskStates(event: EventFields, baseUrl: string): EventFields {
  const job = getJob(event)
  if (!job?.tasks) return event
  const tasks = Object.entries(job.tasks).map(([name, { status, result }]) => [
    name,
    { status, ...defined({ result }) },
  ])
  return {
    ...event,
    job: { ...job, tasks: Object.fromEntries(tasks), links: createLinks(job, baseUrl), shortened: true },
  }
}

/** Shortens an event as much as possible, by removing tasks, files and warnings. */
function removeLists(event: EventFields, baseUrl: string): EventFields {
  const job = getJob(event)
  if (!job) return event
  return {
    ...event,
    job: { ...job, tasks: {}, files: [], warnings: [], links: createLinks(job, baseUrl), shortened: true },
  }
}
