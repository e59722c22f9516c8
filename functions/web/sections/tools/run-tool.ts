import { callApi, checkConversion, createJob, fetchJobStatus, type Job } from '../../api.ts'
import type { Step } from '../../grid/page-order.ts'
import { uploadFile } from '../convert/upload-file.ts'
import { isTransient, type Progress } from '../convert/watch-job.ts'

/** What is going on with the files of a tool, from the first byte up to the links of what came out. */
export type RunState =
  | { readonly state: 'uploading'; readonly share: number }
  | { readonly state: 'working'; readonly job: Job }
  | { readonly state: 'over'; readonly job: Job }

export interface ToolRequest {
  /** Each with what is done with it alone, one step after the other. */
  readonly files: readonly { readonly file: File; readonly steps: readonly Step[] }[]
  /** What makes one of all of them. */
  readonly joint?: Step | undefined
  readonly targetFormat?: string | undefined
  /** The format of the first file, where it is known. */
  readonly from?: string | undefined
  /** A job that has the only file already. */
  readonly uploadedWithJob?: string | undefined
}

const isFinished = ({ status }: Job) => ['completed', 'failed', 'cancelled', 'expired'].includes(status)

/** Seconds for which the service may hold its answer back. */
const waitS = 20

/** @throws Problem */
export async function runTool(
  request: ToolRequest,
  onState: (runTool: RunState) => void,
  signal: AbortSignal,
): Promise<void> {
  const job =
    request.uploadedWithJob === undefined
      ? await pollJob(await startJob(request, onState, signal), onState, signal)
      : await runOnStored(request.uploadedWithJob, request.files[0]?.steps ?? [], onState, signal)
  onState({ state: 'over', job })
}

/** Before a byte is sent: what is wrong with it whatever is in the files, the largest of which has to fit. */
async function checkBeforeUpload({ files, joint, targetFormat, from }: ToolRequest): Promise<void> {
  const step = joint ?? files[0]?.steps[0]
  if (!from || !step) return
  const sizes = files.map(({ file }) => file.size)
  const size = joint ? sizes.reduce((sum, one) => sum + one, 0) : Math.max(...sizes)
  const to = targetFormat && { targetFormat }
  await checkConversion({ from, toolOperation: step.operation, ...to, options: step.options, size }).catch(
    (error: unknown) => {
      // The sending waits for a line.
      if (!isTransient(error)) throw error
    },
  )
}

async function startJob(request: ToolRequest, onState: (runTool: RunState) => void, signal: AbortSignal) {
  await checkBeforeUpload(request)
  const { files, joint, targetFormat } = request
  const uploads = await uploadAll(
    files.map(({ file }) => file),
    onState,
    signal,
  )
  const to = targetFormat && { output_format: targetFormat }
  const tasks: Record<string, unknown> = {}
  const lastTasks: string[] = []
  for (const [at, { steps }] of files.entries()) {
    let input = `file-${at + 1}`
    tasks[input] = { operation: 'import/upload', upload_id: uploads[at] }
    for (const [number, { operation, options }] of steps.entries()) {
      const name = `${operation}-${at + 1}-${number + 1}`
      tasks[name] = { operation, input, options, ...(!joint && number === steps.length - 1 && to) }
      input = name
    }
    lastTasks.push(input)
  }
  if (joint) tasks['result'] = { ...joint, input: lastTasks, ...to }
  tasks['out'] = { operation: 'export/url', input: joint ? ['result'] : lastTasks }
  return callApi<Job>('/v1/jobs', { method: 'POST', body: { tasks } })
}

async function uploadAll(files: readonly File[], onState: (runTool: RunState) => void, signal: AbortSignal) {
  const sentBytes = files.map(() => 0)
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const uploads: string[] = []
  for (const [at, file] of files.entries()) {
    const onProgress = (progress: Progress) => {
      if (progress.stage !== 'uploading') return
      sentBytes[at] = progress.sentBytes
      onState({
        state: 'uploading',
        share: sentBytes.reduce((sum, one) => sum + one, 0) / Math.max(1, total),
      })
    }
    uploads.push(
      await uploadFile({ file, multipartUpload: undefined, onMultipartStart: () => {}, onProgress, signal }),
    )
  }
  return uploads
}

async function pollJob(
  created: Job,
  onState: (runTool: RunState) => void,
  signal: AbortSignal,
): Promise<Job> {
  let job = created
  while (!isFinished(job)) {
    onState({ state: 'working', job })
    job = (await fetchJobStatus(job.jobId, signal, waitS)).data
  }
  return job
}

/** A file that the service has is not sent again: each step is a job that takes the file of the one before. */
async function runOnStored(
  jobId: string,
  steps: readonly Step[],
  onState: (runTool: RunState) => void,
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
