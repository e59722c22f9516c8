import type { ServiceEvent } from '../../events/index.ts'
import { type StatusView, toStatusView } from '../jobs/view.ts'
import { addResultLinks, type ResultLink } from '../links/result-links.ts'
import type { Job } from '../model/job.ts'
import { isTerminalStatus } from '../model/job.ts'
import type { FeedEntry } from './event-feed.ts'
import type { JobFrame, ServerFrame } from './frames.ts'

/** Renders frames. All functions are pure. */

/** Maximum size of a frame in bytes; API Gateway accepts messages of up to 128 KB. */
const maxFrameBytes = 96 * 1024
/** Maximum number of jobs in a snapshot frame; each takes one or two kilobytes. */
const maxJobsPerSnapshot = 25

export function createEventFrame(
  { seq, event: storedEvent }: Pick<FeedEntry, 'seq' | 'event'>,
  link: ResultLink,
): string {
  const event = addResultLinks(storedEvent, link)
  const frame = JSON.stringify({ type: 'event', seq, ...event })
  return Buffer.byteLength(frame) <= maxFrameBytes
    ? frame
    : JSON.stringify({ type: 'event', seq, ...removeTaskList(event) })
}

/** Removes the tasks and files of a job, which may be many; clients get them from `GET /v1/jobs/{jobId}`. */
export function removeTaskList(event: ServiceEvent): ServiceEvent {
  const { job } = event
  if (typeof job !== 'object' || job === null) return event
  return { ...event, job: { ...job, tasks: {}, ...('files' in job && { files: [] }) } }
}

export function createSnapshotFrames(lastSequence: number, jobs: readonly StatusView[]): string[] {
  const pages = Array.from({ length: Math.max(1, Math.ceil(jobs.length / maxJobsPerSnapshot)) }, (_, at) =>
    jobs.slice(at * maxJobsPerSnapshot, (at + 1) * maxJobsPerSnapshot),
  )
  return pages.map((page) =>
    JSON.stringify({ type: 'snapshot', lastSequence, jobs: page } satisfies ServerFrame),
  )
}

/** Renders the current state of a job. */
export function createJobFrame(job: Job): JobFrame {
  const { progress } = toStatusView({ job, fixed: [], tasks: [], chunks: [] }, () => '')
  const { stage, percent, etaMs } = progress
  return { jobId: job.id, stage, percent, status: job.status, etaMs }
}

const terminalEvents: ReadonlySet<string> = new Set([
  'job.completed',
  'job.failed',
  'job.cancelled',
  'job.expired',
])
export const isTerminalEvent = ({ event }: Pick<ServiceEvent, 'event'>): boolean => terminalEvents.has(event)

/**
 * Renders the state of a job at an event; fields that the event lacks are taken from the current job.
 * @returns undefined for an event without a state, such as a download.
 */
export function toJobFrame(
  { event, stream }: Pick<FeedEntry, 'event' | 'stream'>,
  currentJob: Job | undefined,
): JobFrame | undefined {
  if (!event.event.startsWith('job.')) return undefined
  // Every job event has these fields in its schema.
  const { status, progress } = event['job'] as Pick<JobFrame, 'status'> & {
    progress?: { readonly percent: number; readonly stage: string }
  }
  const currentFrame =
    currentJob && !isTerminalStatus(currentJob.status) ? createJobFrame(currentJob) : undefined
  const percent =
    status === 'completed'
      ? 100
      : (progress?.percent ?? (isTerminalEvent(event) && currentJob ? createJobFrame(currentJob).percent : 0))
  return {
    jobId: stream,
    stage: progress?.stage ?? (status === 'processing' ? 'convert' : status),
    percent,
    status,
    etaMs: progress ? (currentFrame?.etaMs ?? null) : null,
  }
}
