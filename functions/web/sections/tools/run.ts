import { ask, type Job, jobStatus } from '../../api.ts'
import type { Progress } from '../convert/conversion.ts'
import { send } from '../convert/send.ts'
import type { Tool } from './tools.ts'

/** What is going on with the files of a tool, from the first byte up to the links of what came out. */
export type Run =
  | { readonly state: 'uploading'; readonly share: number }
  | { readonly state: 'working'; readonly job: Job }
  | { readonly state: 'over'; readonly job: Job }

const isOver = ({ status }: Job) => ['completed', 'failed', 'cancelled', 'expired'].includes(status)

/** Seconds for which the service may hold its answer back. */
const waitS = 20

/** @throws Problem */
export async function run(
  { id, isJoint }: Tool,
  files: readonly File[],
  options: Readonly<Record<string, unknown>>,
  tell: (run: Run) => void,
  signal: AbortSignal,
): Promise<void> {
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
  const imports = uploads.map(
    (upload_id, at) => [`file-${at + 1}`, { operation: 'import/upload', upload_id }] as const,
  )
  const names = imports.map(([name]) => name)
  const works = isJoint
    ? [['result', { operation: id, input: names, options }] as const]
    : names.map((input, at) => [`result-${at + 1}`, { operation: id, input, options }] as const)
  const out = { operation: 'export/url', input: works.map(([name]) => name) }
  let job = await ask<Job>('/v1/jobs', {
    method: 'POST',
    body: { tasks: Object.fromEntries([...imports, ...works, ['out', out]]) },
  })
  while (!isOver(job)) {
    tell({ state: 'working', job })
    job = (await jobStatus(job.jobId, signal, waitS)).data
  }
  tell({ state: 'over', job })
}
