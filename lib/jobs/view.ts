import * as z from 'zod'
import type { ResultLink } from '../links/result-links.ts'
import { Fidelity } from '../model/fidelity.ts'
import {
  BatchSummary,
  type ExportedFile,
  type FixedTask,
  isLiveStatus,
  isTerminalStatus,
  type Job,
  JobError,
  type JobResult,
  type JobState,
  JobStatus,
  type StoredFile,
  type Task,
  TaskStatus,
  Warning,
} from '../model/job.ts'
import { TaskInput } from '../model/task-input.ts'
import { sortKeys } from '../validation/canonical-json.ts'
import { component } from '../validation/component.ts'
import {
  collectWarnings,
  findFirstImportedFile,
  getFixedTaskStatus,
  getJobPercent,
  getJobResult,
  getTaskPercent,
  hasRecord,
  isLinkExport,
  nameExportFiles,
} from './job-state-machine.ts'
import { findShortestLifetime, getLinkLifetimeS, limitJobExpiry } from './link-lifetime.ts'
import { deliversZip, resultsZip } from './results-zip.ts'

/** Renders jobs and tasks for clients, without bucket keys, owners and leases. */

/**
 * Maximum number of names shown of one list, and of all lists of a job, so that a hundred jobs with many lists fit into
 * a reply.
 */
const maxShownMembers = { perList: 1000, perJob: 3000 }

const ResultFile = z.object({
  filename: z.string(),
  format: z.string(),
  size: z.int().describe('Size in bytes'),
  mimeType: z.string(),
  sha256: z.string(),
})

const ResultView = component(
  'JobResult',
  z.object({
    downloadUrl: z
      .url()
      .describe(
        'URL of the result; if a batch has several results, URL of a ZIP with all of them and a `manifest.json`',
      ),
    ...ResultFile.shape,
    size: z
      .int()
      .nullable()
      .describe('Size in bytes; null for the ZIP of a batch, which is packed on request'),
    sha256: z.string().nullable().describe('SHA-256 in lower-case hex; null for the ZIP of a batch'),
    engine: z.string().optional().describe('Engine that produced the result'),
    engineVersion: z.string().optional(),
    method: z
      .string()
      .optional()
      .describe('`stream-copy` when the streams were copied unchanged, `encode` otherwise'),
    details: z.record(z.string(), z.unknown()).optional(),
    fidelity: Fidelity.optional().describe(
      'How much of the source the result kept, measured independently of the engine; missing if unknown',
    ),
    files: z.array(ResultFile.extend({ downloadUrl: z.url() })),
  }),
)

const JobProgress = component(
  'JobProgress',
  z.object({
    percent: z.int().min(0).max(100).describe('Progress in percent; never decreases'),
    stage: z.string(),
    taskName: z.string().nullable(),
    etaMs: z.int().nullable().describe('Remaining time in milliseconds, estimated from the progress so far'),
  }),
)

export const StatusView = component(
  'Job',
  z.object({
    jobId: z.string(),
    id: z.string(),
    status: JobStatus,
    tag: z.string().nullable(),
    source: z
      .object({ filename: z.string(), format: z.string(), size: z.int() })
      .nullable()
      .describe('First source file; null until it has arrived'),
    target: z.object({ format: z.string() }).nullable(),
    progress: JobProgress,
    createdAt: z.iso.datetime(),
    startedAt: z.iso.datetime().nullable(),
    endedAt: z.iso.datetime().nullable(),
    expiresAt: z.iso.datetime(),
    result: ResultView.nullable(),
    warnings: z.array(Warning),
    error: JobError.nullable(),
    summary: BatchSummary.nullable().describe('Counts of the tasks of a finished batch, or of a failed job'),
    retryOf: z.string().nullable().describe('The job that this job retries'),
    links: z.object({ status: z.string(), job: z.string(), download: z.string() }),
  }),
)
export type StatusView = z.infer<typeof StatusView>

/** How to upload the file that a task waits for. */
const UploadForm = component(
  'UploadForm',
  z.object({
    form: z.object({ url: z.string(), parameters: z.record(z.string(), z.string()) }),
    put: z.object({ url: z.string(), headers: z.record(z.string(), z.string()) }),
    expires_at: z.iso.datetime(),
  }),
)

const TaskView = component(
  'Task',
  z.object({
    operation: z.string(),
    input: z
      .union([TaskInput, z.array(TaskInput)])
      .describe('Input as it was sent; an empty list for imports'),
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
    details: z.record(z.string(), z.unknown()).nullable(),
    fidelity: Fidelity.nullable().describe('How much of its input the task kept; null when unknown'),
    result: z
      .union([
        z.object({
          url: z.url().nullable().describe('URL of the file; null when the task produced none'),
          expires_at: z.iso
            .datetime()
            .optional()
            .describe('When links expire; exported files stay in their store'),
          files: z.array(
            z.object({
              filename: z.string(),
              size: z.int(),
              url: z.url(),
              mime_type: z.string(),
              sha256: z.string(),
              members: z
                .array(z.string())
                .optional()
                .describe(
                  `If this file is a ZIP of several results, such as one image per page of a PDF: their names; at most ${maxShownMembers.perList}, fewer in a job with many tasks. The next task gets each as a separate file; \`input: {task, file}\` selects one of them`,
                ),
            }),
          ),
          metadata: z
            .record(z.string(), z.unknown())
            .optional()
            .describe(
              'Result of `metadata` and `pdf-info`; omitted if larger than 64 kB, so that only the file contains it',
            ),
        }),
        UploadForm,
      ])
      .nullable()
      .describe(
        'Exports: links to the files, or their new locations. Tasks that produce files: links to them, once the job is completed or failed. Awaited uploads: where to send the file',
      ),
  }),
)

export const JobView = component('WholeJob', StatusView.extend({ tasks: z.record(z.string(), TaskView) }))
export type JobView = z.infer<typeof JobView>

const links = (jobId: string) => ({
  status: `/v1/status/${jobId}`,
  job: `/v1/jobs/${jobId}`,
  download: `/v1/download/${jobId}`,
})

const toResultFile = ({ filename, format, size, mimeType, sha256 }: StoredFile) => ({
  filename,
  format,
  size,
  mimeType,
  sha256,
})

function toResultView(job: Job, result: JobResult, link: ResultLink): z.infer<typeof ResultView> | null {
  const [firstFile] = result.files
  if (job.status !== 'completed' || !firstFile) return null
  const { files, engine, engineVersion, method, details, fidelity } = result
  const isZip = deliversZip(job, files)
  const lifetimeS = findShortestLifetime((isZip ? files : [firstFile]).map((file) => file.linkLifetimeS))
  return {
    downloadUrl: link(limitJobExpiry(job, lifetimeS)),
    ...(isZip ? { ...resultsZip, size: null, sha256: null } : toResultFile(firstFile)),
    engine,
    engineVersion,
    method,
    details: sortKeys(details),
    fidelity: sortKeys(fidelity),
    files: files.map((file) => ({
      ...toResultFile(file),
      downloadUrl: link(limitJobExpiry(job, file.linkLifetimeS), { file: file.filename }),
    })),
  }
}

/** Below this percentage an estimate would be too inaccurate. */
const minPercentForEta = 5

function etaMs(job: Job, percent: number): number | null {
  if (job.status !== 'processing' || !job.startedAt || percent < minPercentForEta) return null
  const elapsedMs = Date.now() - Date.parse(job.startedAt)
  return Math.max(0, Math.round((elapsedMs * (100 - percent)) / percent))
}

/** Whether a view of an ended job needs its task records, because the job's record does not contain the result. */
export const needsTaskRecords = (job: Job) =>
  isTerminalStatus(job.status) && job.status !== 'expired' && !job.result

/**
 * Renders the status of a job.
 * @param state with all tasks if `needsTaskRecords` is true; otherwise they are not used.
 */
export function toStatusView(state: JobState, link: ResultLink): StatusView {
  const { job, tasks } = state
  const percent = getJobPercent(job)
  const result = isTerminalStatus(job.status) ? getJobResult(state) : undefined
  return {
    jobId: job.id,
    id: job.id,
    status: job.status,
    tag: job.tag,
    source: job.display.source ?? job.cameLater ?? findFirstImportedFile(state),
    target: job.display.target,
    progress: {
      percent,
      stage: getStage(job),
      taskName: job.taskName ?? null,
      etaMs: etaMs(job, percent),
    },
    createdAt: job.createdAt,
    startedAt: job.startedAt ?? null,
    endedAt: job.endedAt ?? null,
    expiresAt: job.expiresAt,
    result: result ? toResultView(job, result, link) : null,
    warnings: result?.warnings ?? collectWarnings(job, tasks),
    error: sortKeys(job.error) ?? null,
    summary: job.summary ?? null,
    retryOf: job.retryOf ?? null,
    links: links(job.id),
  }
}

function getStage(job: Job): string {
  if (isTerminalStatus(job.status)) return job.status
  return job.status === 'processing' ? (job.stage ?? 'convert') : job.status
}

type NamesByNumber = ReadonlyMap<number, string>
const getNames = (names: NamesByNumber, numbers: readonly number[]) =>
  numbers.map((number) => names.get(number) ?? '')

function toTaskView(
  task: Task,
  state: JobState,
  names: NamesByNumber,
  link: ResultLink,
): z.infer<typeof TaskView> {
  return {
    operation: task.operation,
    input: task.input ?? getNames(names, task.ins),
    status: task.status,
    percent: getTaskPercent(task),
    // The attempt is reset while chunks run, so the attempt that split the task is shown.
    attempt: Math.max(task.attempt, task.expandedBy ?? 0),
    engine: task.engine ?? null,
    engineVersion: task.engineVersion ?? null,
    createdAt: task.createdAt,
    startedAt: task.startedAt ?? null,
    endedAt: task.endedAt ?? null,
    code: task.code ?? null,
    message: task.message ?? null,
    details: sortKeys(task.details) ?? null,
    fidelity: sortKeys(task.fidelity) ?? null,
    warnings: task.warnings,
    result: toTaskResultView(task, state, link),
  }
}

function toTaskResultView(task: Task, state: JobState, link: ResultLink): z.infer<typeof TaskView>['result'] {
  const { job } = state
  if (task.deliveries) return viewExportedFiles(task.deliveries)
  // The code that creates uploads stores the form as the schema describes it.
  if (task.status === 'pending')
    return (sortKeys(task.form) as z.infer<typeof UploadForm> | undefined) ?? null
  // Imported files are not available for download.
  const isDownloadable = hasResults(job) && task.status === 'completed' && !isImport(task)
  if (!isDownloadable || task.files.length === 0) return null
  if (isLinkExport(task)) return viewLinkExport(task, state, link)
  const { metadata } = task
  const links = viewLinks(task, task.files, job, link)
  const maxMembers = Math.min(maxShownMembers.perList, Math.floor(maxShownMembers.perJob / job.total))
  const files = links.files.map((view, index) => {
    const members = task.files[index]?.members?.slice(0, maxMembers)
    // The names are not stored for a list with more files than a task can take.
    return { ...view, ...(members && members.length > 0 && { members }) }
  })
  return { ...links, files, ...(metadata && { metadata: JSON.parse(metadata) }) }
}

/** Whether a job has results; a failed job keeps those of its completed tasks. */
const hasResults = ({ status }: Job) => status === 'completed' || status === 'failed'

const isImport = ({ operation }: Task) => operation.startsWith('import/')

const viewExportedFiles = (deliveries: readonly ExportedFile[]) => ({
  url: deliveries[0]?.url ?? null,
  files: deliveries.map(({ url, filename, size, mimeType, sha256 }) => ({
    filename,
    size,
    url,
    mime_type: mimeType,
    sha256,
  })),
})

function viewFixedTask(
  task: FixedTask,
  state: JobState,
  names: NamesByNumber,
  link: ResultLink,
): z.infer<typeof TaskView> {
  const { job } = state
  const status = getFixedTaskStatus(task, state)
  const isExport = task.operation.startsWith('export/')
  const endedAt = status === 'pending' ? null : isExport ? (job.endedAt ?? null) : job.createdAt
  return {
    operation: task.operation,
    input: task.input ?? getNames(names, task.ins),
    status,
    percent: status === 'completed' ? 100 : 0,
    attempt: 0,
    engine: null,
    engineVersion: null,
    createdAt: job.createdAt,
    startedAt: endedAt,
    endedAt,
    code: task.code ?? (status === 'cancelled' && job.status !== 'cancelled' ? 'INPUT_TASK_FAILED' : null),
    message: task.message ?? null,
    details: sortKeys(task.details) ?? null,
    fidelity: null,
    warnings: task.warnings,
    result: isExport && status === 'completed' && hasResults(job) ? viewLinkExport(task, state, link) : null,
  }
}

function viewLinkExport(task: FixedTask | Task, state: JobState, link: ResultLink) {
  const inline = task.spec?.['inline'] === true ? { inline: 'true' } : {}
  const job = limitJobExpiry(state.job, getLinkLifetimeS(task))
  return viewLinks(task, nameExportFiles(task, state), job, link, inline)
}

function viewLinks(
  { name }: Pick<Task, 'name'>,
  files: readonly StoredFile[],
  job: Job,
  link: ResultLink,
  parameters: Readonly<Record<string, string>> = {},
) {
  const views = files.map(({ filename, size, mimeType, sha256 }) => ({
    filename,
    size,
    url: link(job, { task: name, file: filename, ...parameters }),
    mime_type: mimeType,
    sha256,
  }))
  return { url: views[0]?.url ?? null, expires_at: job.expiresAt, files: views }
}

export function toJobView(state: JobState, link: ResultLink): JobView {
  const allTasks = [...state.fixed, ...state.tasks].sort((a, b) => a.number - b.number)
  const names = new Map(allTasks.map(({ number, name }) => [number, name]))
  return {
    ...toStatusView(state, link),
    tasks: Object.fromEntries(
      allTasks.map((task) => [
        task.name,
        hasRecord(task) ? toTaskView(task, state, names, link) : viewFixedTask(task, state, names, link),
      ]),
    ),
  }
}

/** Returns the recommended polling interval in seconds; undefined for a job that has ended. */
export const getJobPollIntervalS = (job: Job): number | undefined =>
  isLiveStatus(job.status) ? job.display.pollS : undefined
