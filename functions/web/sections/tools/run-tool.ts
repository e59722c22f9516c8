import { ask, checkWish, createJob, type Job, jobStatus } from '../../api.ts'
import type { Step } from '../../grid/page-order.ts'
import { isPassing, type Progress } from '../convert/watch-job.ts'
import { send } from '../convert/upload-file.ts'

/** What is going on with the files of a tool, from the first byte up to the links of what came out. */
export type Run =
  | { readonly state: 'uploading'; readonly share: number }
  | { readonly state: 'working'; readonly job: Job }
  | { readonly state: 'over'; readonly job: Job }

export interface Order {
  /** Each with what is done with it alone, one step after the other. */
  readonly files: readonly { readonly file: File; readonly steps: readonly Step[] }[]
  /** What makes one of all of them. */
  readonly joint?: Step | undefined
  readonly targetFormat?: string | undefined
  /** The format of the first file, where it is known. */
  readonly from?: string | undefined
  /** A job that has the only file already. */
  readonly sentWith?: string | undefined
}

const isOver = ({ status }: Job) => ['completed', 'failed', 'cancelled', 'expired'].includes(status)

/** Seconds for which the service may hold its answer back. */
const waitS = 20

/** @throws Problem */
export async function run(order: Order, tell: (run: Run) => void, signal: AbortSignal): Promise<void> {
  const job =
    order.sentWith === undefined
      ? await watch(await begin(order, tell, signal), tell, signal)
      : await runOnStored(order.sentWith, order.files[0]?.steps ?? [], tell, signal)
  tell({ state: 'over', job })
}

/** Before a byte is sent: what is wrong with it whatever is in the files, the largest of which has to fit. */
async function check({ files, joint, targetFormat, from }: Order): Promise<void> {
  const step = joint ?? files[0]?.steps[0]
  if (!from || !step) return
  const sizes = files.map(({ file }) => file.size)
  const size = joint ? sizes.reduce((sum, one) => sum + one, 0) : Math.max(...sizes)
  const to = targetFormat && { targetFormat }
  await checkWish({ from, toolOperation: step.operation, ...to, options: step.options, size }).catch(
    (error: unknown) => {
      // The sending waits for a line.
      if (!isPassing(error)) throw error
    },
  )
}

async function begin(order: Order, tell: (run: Run) => void, signal: AbortSignal) {
  await check(order)
  const { files, joint, targetFormat } = order
  const uploads = await sendAll(
    files.map(({ file }) => file),
    tell,
    signal,
  )
  const to = targetFormat && { output_format: targetFormat }
  const tasks: Record<string, unknown> = {}
  const ends: string[] = []
  for (const [at, { steps }] of files.entries()) {
    let input = `file-${at + 1}`
    tasks[input] = { operation: 'import/upload', upload_id: uploads[at] }
    for (const [number, { operation, options }] of steps.entries()) {
      const name = `${operation}-${at + 1}-${number + 1}`
      tasks[name] = { operation, input, options, ...(!joint && number === steps.length - 1 && to) }
      input = name
    }
    ends.push(input)
  }
  if (joint) tasks['result'] = { ...joint, input: ends, ...to }
  tasks['out'] = { operation: 'export/url', input: joint ? ['result'] : ends }
  return ask<Job>('/v1/jobs', { method: 'POST', body: { tasks } })
}

async function sendAll(files: readonly File[], tell: (run: Run) => void, signal: AbortSignal) {
  const sent = files.map(() => 0)
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const uploads: string[] = []
  for (const [at, file] of files.entries()) {
    const onProgress = (progress: Progress) => {
      if (progress.stage !== 'uploading') return
      sent[at] = progress.sentBytes
      tell({ state: 'uploading', share: sent.reduce((sum, one) => sum + one, 0) / Math.max(1, total) })
    }
    uploads.push(await send({ file, begun: undefined, onBegun: () => {}, onProgress, signal }))
  }
  return uploads
}

async function watch(begun: Job, tell: (run: Run) => void, signal: AbortSignal): Promise<Job> {
  let job = begun
  while (!isOver(job)) {
    tell({ state: 'working', job })
    job = (await jobStatus(job.jobId, signal, waitS)).data
  }
  return job
}

/** A file that the service has is not sent again: each step is a job that takes the file of the one before. */
async function runOnStored(
  jobId: string,
  steps: readonly Step[],
  tell: (run: Run) => void,
  signal: AbortSignal,
): Promise<Job> {
  let source: { sourceJobId: string; sourceTask?: string } = { sourceJobId: jobId }
  let job: Job | undefined
  for (const { operation, options } of steps) {
    job = await watch(await createJob({ ...source, toolOperation: operation, options }), tell, signal)
    if (!job.result) break
    const { taskName } = job.progress
    source = { sourceJobId: job.jobId, ...(taskName && { sourceTask: taskName }) }
  }
  if (!job) throw new Error('there is nothing to do')
  return job
}
