import type { Files } from '../aws/files.ts'
import type { WorkSigner } from '../aws/task-url-signer.ts'
import { isSealed, mapped, type Vault } from '../sealed.ts'
import { findTransferOperation } from '../tasks/index.ts'
import { jobPrefix, type StoredFile, type Task } from './job.ts'
import { filesOfTask } from './job-state-machine.ts'
import type { JobStore } from './store.ts'
import type { PresignedWork, TaskMessage } from './task-message.ts'
import type { TaskInputs, TaskSender } from './task-sender.ts'

/**
 * Seconds that signatures are good for: longer than a function runs, and shorter than the keys last that a function
 * signs with. A task that waited so long that they may end while it runs comes back to be signed anew.
 */
export const signatureLifetimeS = 3600
/** Characters of a message (AWS takes 1 MiB); what is larger lies in the bucket, and the message says where. */
const maxMessageCharacters = 200_000

interface PresigningDeps {
  readonly store: JobStore
  readonly files: Pick<Files, 'putBytes'>
  readonly vault: Vault
  readonly signer: WorkSigner
}

/** Sends tasks with all that their workers need, who reach no file and know no secret. */
export const createPresigningSender = (
  sender: TaskSender,
  deps: PresigningDeps,
): Pick<TaskSender, 'route'> => ({
  route: async (task, taskInputs) => {
    const routed = await sender.route(task, taskInputs)
    // What brings files from elsewhere or takes them there is a function of ours, and reaches files by its role.
    if (routed.queue === 'transfer') return routed
    return { ...routed, message: { ...routed.message, work: await presignWork(task, taskInputs, deps) } }
  },
})

async function presignWork(
  task: Task,
  taskInputs: TaskInputs | undefined,
  { store, files, vault, signer }: PresigningDeps,
): Promise<TaskMessage['work']> {
  const { jobId, number } = task
  const until = Date.now() + signatureLifetimeS * 1000
  const keys = [...new Set((await findReadableFiles(task, taskInputs, store)).map(({ key }) => key))]
  const inputs = await Promise.all(
    keys.map(async (key) => [key, await signer.input(key, signatureLifetimeS)] as const),
  )
  const output = await signer.output(`${jobPrefix(jobId)}${number}/`, signatureLifetimeS)
  const signed = { until, inputs: Object.fromEntries(inputs), output }
  const work: PresignedWork = { ...signed, opened: openSecrets(task, vault) }
  if (JSON.stringify(work).length <= maxMessageCharacters) return work
  // Nobody but this function writes below `work/`, and its lifecycle deletes it soon.
  const key = `work/${jobId}/${number}-${task.part ?? 0}-${until}.json`
  await files.putBytes(key, Buffer.from(JSON.stringify(work)), 'application/json')
  return { url: await signer.input(key, signatureLifetimeS) }
}

/** Every file that a worker may want: what is at hand, what the task began with, and what its parts have made. */
async function findReadableFiles(
  task: Task,
  taskInputs: TaskInputs | undefined,
  store: JobStore,
): Promise<StoredFile[]> {
  const transfer = findTransferOperation(task.operation)
  if (transfer) return []
  const state = taskInputs ?? (await store.getInputs(task))
  const inputFiles = state ? task.ins.flatMap((number) => filesOfTask(number, state)) : []
  const planFiles = (task.pieces ?? []).flatMap(({ files }) => files)
  const chunks = task.expandedBy === undefined ? [] : await store.getChunks(task)
  return [...inputFiles, ...planFiles, ...chunks.flatMap(({ files }) => files)]
}

/** By how they stand in the record. */
function openSecrets({ spec, pieces, jobId }: Task, vault: Vault): Record<string, unknown> {
  const opened: Record<string, unknown> = {}
  mapped([spec, pieces], (one) => {
    if (!isSealed(one)) return undefined
    const value = vault.open(one, jobId)
    opened[one.sealed] = value
    return { value }
  })
  return opened
}
