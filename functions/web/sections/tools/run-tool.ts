import { callApi, checkConversion, createJob, explainError, fetchJobStatus, type Job } from '../../api.ts'
import type { PageOperation } from '../../grid/page-order.ts'
import { uploadFile } from '../convert/upload-file.ts'
import { type ConversionProgress, isTransient } from '../convert/watch-job.ts'

/** State of a tool run, from the upload to the results. */
export type RunState =
  | { readonly state: 'uploading'; readonly share: number }
  | { readonly state: 'working'; readonly job: Job }
  | { readonly state: 'over'; readonly job: Job }

export interface ToolRequest {
  /** The files, each with its own chain of steps. */
  readonly files: readonly { readonly file: File; readonly steps: readonly PageOperation[] }[]
  /** The step that combines all files. */
  readonly combiningStep?: PageOperation | undefined
  /** Template for the names of the results. */
  readonly filename?: string | undefined
  readonly targetFormat?: string | undefined
  /** The format of the first file, if known. */
  readonly from?: string | undefined
  /** The job that was created with the upload and stores the file. */
  readonly storingJobId?: string | undefined
}

const isFinished = ({ status }: Job) => ['completed', 'failed', 'cancelled', 'expired'].includes(status)

/** How long the service may delay its reply, in seconds. */
const waitS = 20

/** Runs a tool on files. @throws Problem */
export async function runToolJob(
  request: ToolRequest,
  onState: (state: RunState) => void,
  signal: AbortSignal,
): Promise<void> {
  const job =
    request.storingJobId === undefined
      ? await pollJob(await startJob(request, onState, signal), onState, signal)
      : await runOnStoredFile(request.storingJobId, request.files[0]?.steps ?? [], onState, signal)
  if (job.error) throw await explainError(job.error)
  onState({ state: 'over', job })
}

/** Checks the request before uploading; sends the size of the largest file, which must be within the limits. */
async function checkBeforeUpload({ files, combiningStep, targetFormat, from }: ToolRequest): Promise<void> {
  const step = combiningStep ?? files[0]?.steps[0]
  if (!from || !step) return
  const sizes = files.map(({ file }) => file.size)
  const size = combiningStep ? sizes.reduce((sum, one) => sum + one, 0) : Math.max(...sizes)
  const to = targetFormat && { targetFormat }
  await checkConversion({ from, toolOperation: step.operation, ...to, options: step.options, size }).catch(
    (error: unknown) => {
      // Without a connection the check is skipped, because the upload waits for a connection anyway.
      if (!isTransient(error)) throw error
    },
  )
}

async function startJob(request: ToolRequest, onState: (state: RunState) => void, signal: AbortSignal) {
  await checkBeforeUpload(request)
  const { files, combiningStep, targetFormat, filename } = request
  const filenameField = filename && { filename }
  const uploads = await uploadAll(
    files.map(({ file }) => file),
    onState,
    signal,
  )
  const to = targetFormat && { output_format: targetFormat }
  const tasks: Record<string, unknown> = {}
  const lastTaskNames: string[] = []
  for (const [at, { steps }] of files.entries()) {
    let input = `file-${at + 1}`
    tasks[input] = { operation: 'import/upload', upload_id: uploads[at] }
    for (const [number, { operation, options }] of steps.entries()) {
      const name = `${operation}-${at + 1}-${number + 1}`
      tasks[name] = {
        operation,
        input,
        options,
        ...(!combiningStep && number === steps.length - 1 && { ...to, ...filenameField }),
      }
      input = name
    }
    lastTaskNames.push(input)
  }
  if (combiningStep) tasks['result'] = { ...combiningStep, input: lastTaskNames, ...to, ...filenameField }
  tasks['out'] = { operation: 'export/url', input: combiningStep ? ['result'] : lastTaskNames }
  return callApi<Job>('/v1/jobs', { method: 'POST', body: { tasks } })
}

async function uploadAll(files: readonly File[], onState: (state: RunState) => void, signal: AbortSignal) {
  const sentBytes = files.map(() => 0)
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const uploads: string[] = []
  for (const [at, file] of files.entries()) {
    const onProgress = (progress: ConversionProgress) => {
      if (progress.stage !== 'uploading') return
      sentBytes[at] = progress.sentBytes
      onState({
        state: 'uploading',
        share: sentBytes.reduce((sum, byteCount) => sum + byteCount, 0) / Math.max(1, total),
      })
    }
    uploads.push(
      await uploadFile({ file, multipartUpload: undefined, onMultipartStart: () => {}, onProgress, signal }),
    )
  }
  return uploads
}

async function pollJob(
  createdJob: Job,
  onState: (state: RunState) => void,
  signal: AbortSignal,
): Promise<Job> {
  let job = createdJob
  while (!isFinished(job)) {
    onState({ state: 'working', job })
    job = (await fetchJobStatus(job.jobId, signal, waitS)).data
  }
  return job
}

/**
 * Runs a chain of steps on a file that the service already stores: each step is a job that processes the result of
 * the previous job.
 */
async function runOnStoredFile(
  jobId: string,
  steps: readonly PageOperation[],
  onState: (state: RunState) => void,
  signal: AbortSignal,
): Promise<Job> {
  let source: { sourceJobId: string; sourceTask?: string } = { sourceJobId: jobId }
  let job: Job | undefined
  for (const { operation, options } of steps) {
    job = await pollJob(await createJob({ ...source, toolOperation: operation, options }), onState, signal)
    if (!job.result) break
    const { taskName } = job.progress
    source = { sourceJobId: job.jobId, ...(taskName && { sourceTask: taskName }) }
  }
  if (!job) throw new Error('there is nothing to do')
  return job
}
