import * as z from 'zod'
import {
  isLive,
  isTerminal,
  type Job,
  JobError,
  JobStatus,
  type StoredFile,
  type Task,
  TaskStatus,
  Warning,
} from './job.ts'

/** Jobs and tasks as clients see them: no keys of the bucket, no owner, no leases. */

const ResultFile = z.object({
  filename: z.string(),
  format: z.string(),
  size: z.int().describe('Bytes'),
  mimeType: z.string(),
  sha256: z.string(),
})

const ResultView = z.object({
  downloadUrl: z.url(),
  ...ResultFile.shape,
  engine: z.string().optional().describe('Engine that made the result'),
  engineVersion: z.string().optional(),
  method: z
    .string()
    .optional()
    .describe('`stream-copy` when the streams were taken over as they are, `encode` otherwise'),
  details: z.record(z.string(), z.unknown()).optional(),
  files: z.array(ResultFile.extend({ downloadUrl: z.url() })),
})

export const StatusView = z.object({
  jobId: z.string(),
  id: z.string(),
  status: JobStatus,
  tag: z.string().nullable(),
  source: z.object({ filename: z.string(), format: z.string(), size: z.int() }),
  target: z.object({ format: z.string() }),
  progress: z.object({
    percent: z.int().min(0).max(100).describe('Never falls'),
    stage: z.string(),
    taskName: z.string().nullable(),
    etaMs: z.int().nullable().describe('Estimated from the progress so far'),
  }),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime(),
  result: ResultView.nullable(),
  warnings: z.array(Warning),
  error: JobError.nullable(),
  links: z.object({ status: z.string(), job: z.string(), download: z.string() }),
})
export type StatusView = z.infer<typeof StatusView>

const TaskView = z.object({
  operation: z.string(),
  input: z.array(z.string()),
  status: TaskStatus,
  percent: z.int(),
  attempt: z.int(),
  engine: z.string().nullable(),
  engineVersion: z.string().nullable(),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
  code: z.string().nullable(),
  message: z.string().nullable(),
  warnings: z.array(Warning),
  result: z
    .object({
      url: z.url(),
      expires_at: z.iso.datetime(),
      files: z.array(
        z.object({
          filename: z.string(),
          size: z.int(),
          url: z.url(),
          mime_type: z.string(),
          sha256: z.string(),
        }),
      ),
    })
    .nullable(),
})

export const JobView = StatusView.extend({ tasks: z.record(z.string(), TaskView) })
export type JobView = z.infer<typeof JobView>

function downloadUrl(baseUrl: string, jobId: string, file?: StoredFile): string {
  const query = file ? `?file=${encodeURIComponent(file.filename)}` : ''
  return `${baseUrl}/v1/download/${jobId}${query}`
}

const links = (jobId: string) => ({
  status: `/v1/status/${jobId}`,
  job: `/v1/jobs/${jobId}`,
  download: `/v1/download/${jobId}`,
})

const resultFile = ({ filename, format, size, mimeType, sha256 }: StoredFile) => ({
  filename,
  format,
  size,
  mimeType,
  sha256,
})

function resultOf(job: Job, baseUrl: string): z.infer<typeof ResultView> | null {
  const [first] = job.files
  if (job.status !== 'completed' || !first) return null
  return {
    downloadUrl: downloadUrl(baseUrl, job.id),
    ...resultFile(first),
    engine: job.engine,
    engineVersion: job.engineVersion,
    method: job.method,
    details: job.details,
    files: job.files.map((file) => ({
      ...resultFile(file),
      downloadUrl: downloadUrl(baseUrl, job.id, file),
    })),
  }
}

/** Below this there is too little to reckon from. */
const leastPercentForEta = 5

function etaMs(job: Job): number | null {
  if (job.status !== 'processing' || !job.startedAt || job.percent < leastPercentForEta) return null
  const spentMs = Date.now() - Date.parse(job.startedAt)
  return Math.max(0, Math.round((spentMs * (100 - job.percent)) / job.percent))
}

export function statusView(job: Job, baseUrl: string): StatusView {
  return {
    jobId: job.id,
    id: job.id,
    status: job.status,
    tag: job.tag,
    source: job.source,
    target: job.target,
    progress: {
      percent: job.percent,
      stage: stageOf(job),
      taskName: job.taskName ?? null,
      etaMs: etaMs(job),
    },
    createdAt: job.createdAt,
    startedAt: job.startedAt ?? null,
    endedAt: job.endedAt ?? null,
    expiresAt: job.expiresAt,
    result: resultOf(job, baseUrl),
    warnings: job.warnings,
    error: job.error ?? null,
    links: links(job.id),
  }
}

function stageOf(job: Job): string {
  if (isTerminal(job.status)) return job.status
  return job.status === 'queued' ? 'queued' : job.stage
}

function taskView(task: Task, job: Job, baseUrl: string): z.infer<typeof TaskView> {
  const [first] = task.files
  const exported = task.operation === 'export/url' && task.status === 'completed' && first
  return {
    operation: task.operation,
    input: task.input,
    status: task.status,
    percent: task.percent,
    attempt: task.attempt,
    engine: task.engine ?? null,
    engineVersion: task.engineVersion ?? null,
    createdAt: task.createdAt,
    startedAt: task.startedAt ?? null,
    endedAt: task.endedAt ?? null,
    code: task.code ?? null,
    message: task.message ?? null,
    warnings: task.warnings,
    result: exported
      ? {
          url: downloadUrl(baseUrl, job.id),
          expires_at: job.expiresAt,
          files: task.files.map((file) => ({
            filename: file.filename,
            size: file.size,
            url: downloadUrl(baseUrl, job.id, file),
            mime_type: file.mimeType,
            sha256: file.sha256,
          })),
        }
      : null,
  }
}

export function jobView(job: Job, tasks: readonly Task[], baseUrl: string): JobView {
  return {
    ...statusView(job, baseUrl),
    tasks: Object.fromEntries(
      job.taskNames.flatMap((name) => {
        const task = tasks.find((candidate) => candidate.name === name)
        return task ? [[name, taskView(task, job, baseUrl)]] : []
      }),
    ),
  }
}

/** Seconds after which it is worth asking again; nothing for a job that is over. */
export function retryAfterS(job: Job): number | undefined {
  if (!isLive(job.status)) return undefined
  return job.timeoutS <= 120 ? 2 : job.timeoutS <= 600 ? 5 : 10
}
