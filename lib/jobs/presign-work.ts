import type { Files } from '../aws/files.ts'
import type { TaskUrlSigner } from '../aws/task-url-signer.ts'
import { isSealed, mapDeep, type Vault } from '../crypto/sealed.ts'
import { getJobPrefix, type StoredFile, type Task } from '../model/job.ts'
import type { PresignedWork, TaskMessage } from '../model/task-message.ts'
import { findTransferOperation } from '../tasks/index.ts'
import { listTaskFiles } from './job-state-machine.ts'
import type { JobStore } from './store.ts'
import type { TaskInputs, TaskSender } from './task-sender.ts'

/**
 * Lifetime of the signatures in seconds, longer than a function runs and shorter than the function's credentials are
 * valid. A task that waited too long in its queue is sent back to be signed again.
 */
export const signatureLifetimeS = 3600
/** Maximum number of characters in a message (SQS allows 1 MiB); larger ones are stored in the bucket and linked. */
const maxMessageCharacters = 200_000

interface PresigningDeps {
  readonly store: JobStore
  readonly files: Pick<Files, 'putBytes'>
  readonly vault: Vault
  readonly signer: TaskUrlSigner
}

/** Adds presigned URLs and passwords to messages, for workers without access to files and secrets. */
export const createPresigningSender = (
  sender: TaskSender,
  deps: PresigningDeps,
): Pick<TaskSender, 'route'> => ({
  route: async (task, taskInputs) => {
    const routedTask = await sender.route(task, taskInputs)
    // Transfers run in a function with its own role, which can access files directly.
    if (routedTask.queue === 'transfer') return routedTask
    return {
      ...routedTask,
      message: { ...routedTask.message, work: await presignWork(task, taskInputs, deps) },
    }
  },
})

async function presignWork(
  task: Task,
  taskInputs: TaskInputs | undefined,
  { store, files, vault, signer }: PresigningDeps,
): Promise<TaskMessage['work']> {
  const { jobId, number } = task
  const signedUntil = Date.now() + signatureLifetimeS * 1000
  const keys = [...new Set((await findReadableFiles(task, taskInputs, store)).map(({ key }) => key))]
  const inputs = await Promise.all(
    keys.map(async (key) => [key, await signer.signInput(key, signatureLifetimeS)] as const),
  )
  const output = await signer.signOutput(`${getJobPrefix(jobId)}${number}/`, signatureLifetimeS)
  const signedUrls = { until: signedUntil, inputs: Object.fromEntries(inputs), output }
  const presignedWork: PresignedWork = { ...signedUrls, opened: openSecrets(task, vault) }
  if (JSON.stringify(presignedWork).length <= maxMessageCharacters) return presignedWork
  // Only this function writes below `work/`, and a lifecycle rule soon deletes the objects.
  const key = `work/${jobId}/${number}-${task.part ?? 0}-${signedUntil}.json`
  await files.putBytes(key, Buffer.from(JSON.stringify(presignedWork)), 'application/json')
  return { url: await signer.signInput(key, signatureLifetimeS) }
}

/**
 * Returns all files that a worker may read: inputs of the task, files of its input plans, and results of its chunks.
 */
async function findReadableFiles(
  task: Task,
  taskInputs: TaskInputs | undefined,
  store: JobStore,
): Promise<StoredFile[]> {
  const transferOperation = findTransferOperation(task.operation)
  if (transferOperation) return []
  const state = taskInputs ?? (await store.getInputs(task))
  const inputFiles = state ? task.ins.flatMap((number) => listTaskFiles(number, state)) : []
  const planFiles = (task.pieces ?? []).flatMap(({ files }) => files)
  const chunks = task.expandedBy === undefined ? [] : await store.getChunks(task)
  return [...inputFiles, ...planFiles, ...chunks.flatMap(({ files }) => files)]
}

/** Returns the unsealed secrets, keyed by their sealed values. */
function openSecrets({ spec, pieces, jobId }: Task, vault: Vault): Record<string, unknown> {
  const openedSecrets: Record<string, unknown> = {}
  mapDeep([spec, pieces], (sealed) => {
    if (!isSealed(sealed)) return undefined
    const value = vault.unseal(sealed, jobId)
    openedSecrets[sealed.sealed] = value
    return { value }
  })
  return openedSecrets
}
