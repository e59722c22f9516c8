import * as z from 'zod'
import { derivedId } from '../lib/ids.ts'
import type { JobFile } from '../lib/jobs/job-files.ts'
import type { JobState } from '../lib/jobs/machine.ts'
import { fileEvents } from './file-events.ts'
import { jobEvents } from './job-events.ts'

/** Every event, by its name. To add one: its entry in the file of its group, and what asks for it in the state machine. */
export const events = { ...jobEvents, ...fileEvents } as const

export type EventName = keyof typeof events

/** What every event has beside its body. */
const Common = z.object({
  event: z.string(),
  timestamp: z.iso.datetime(),
  id: z.string().describe('The same when the event is told again'),
  sequence: z.int().describe('Number of the event within its job, from 1'),
  apiVersion: z.literal('v1'),
})

/** As it stands on the bus and, later, in a webhook. */
export type ServiceEvent = z.infer<typeof Common> & { readonly event: EventName } & Readonly<
    Record<string, unknown>
  >

export const eventSchema = <Name extends EventName>(name: Name) =>
  Common.extend({ event: z.literal(name), ...(events[name].body as (typeof events)[Name]['body']) })

/** Which event is due. */
export interface Announcement {
  readonly event: EventName
  readonly sequence: number
  /** What an event of a file is about. */
  readonly file?: JobFile
}

/** The event that tells of a job's state; the same state and sequence give the same event, id included. */
export function eventOf({ event: name, sequence, file }: Announcement, state: JobState): ServiceEvent {
  const { moment, tell } = events[name]
  const timestamp = moment(state.job) ?? state.job.createdAt
  return {
    event: name,
    timestamp,
    id: derivedId('evt', new Date(timestamp), state.job.id, name, sequence),
    sequence,
    apiVersion: 'v1',
    ...tell(state, file),
  }
}
