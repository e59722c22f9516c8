import type { Files } from '../aws/files.ts'
import type { WorkSigner } from '../aws/task-url-signer.ts'
import { isSealed, mapped, type Vault } from '../sealed.ts'
import { transferOperation } from '../tasks/index.ts'
import { jobPrefix, type StoredFile, type Task } from './job.ts'
import { filesOfTask } from './job-state-machine.ts'
import type { JobStore } from './store.ts'
import type { SignedWork, TaskMessage } from './task-message.ts'
import type { Known, Outlet } from './task-sender.ts'

/**
 * Seconds that signatures are good for: longer than a function runs, and shorter than the keys last that a function
 * signs with. A task that waited so long that they may end while it runs comes back to be signed anew.
 */
export const signedForS = 3600
/** Characters of a message (AWS takes 1 MiB); what is larger lies in the bucket, and the message says where. */
const mostCharacters = 200_000

interface Signing {
  readonly store: JobStore
  readonly files: Pick<Files, 'putBytes'>
  readonly vault: Vault
  readonly signer: WorkSigner
}

/** Sends tasks with all that their workers need, who reach no file and know no secret. */
export const signing = (planned: Outlet, parts: Signing): Pick<Outlet, 'route'> => ({
  route: async (task, known) => {
    const sending = await planned.route(task, known)
    // What brings files from elsewhere or takes them there is a function of ours, and reaches files by its role.
    if (sending.queue === 'transfer') return sending
    return { ...sending, message: { ...sending.message, work: await workOf(task, known, parts) } }
  },
})

async function workOf(
  task: Task,
  known: Known | undefined,
  { store, files, vault, signer }: Signing,
): Promise<TaskMessage['work']> {
  const { jobId, number } = task
  const until = Date.now() + signedForS * 1000
  const keys = [...new Set((await inputsOf(task, known, store)).map(({ key }) => key))]
  const inputs = await Promise.all(
    keys.map(async (key) => [key, await signer.input(key, signedForS)] as const),
  )
  const output = await signer.output(`${jobPrefix(jobId)}${number}/`, signedForS)
  const signed = { until, inputs: Object.fromEntries(inputs), output }
  const work: SignedWork = { ...signed, opened: openedOf(task, vault) }
  if (JSON.stringify(work).length <= mostCharacters) return work
  // Nobody but this function writes below `work/`, and its lifecycle deletes it soon.
  const key = `work/${jobId}/${number}-${task.part ?? 0}-${until}.json`
  await files.putBytes(key, Buffer.from(JSON.stringify(work)), 'application/json')
  return { url: await signer.input(key, signedForS) }
}

/** Every file that a worker may want: what is at hand, what the task began with, and what its parts have made. */
async function inputsOf(task: Task, known: Known | undefined, store: JobStore): Promise<StoredFile[]> {
  const transfer = transferOperation(task.operation)
  if (transfer) return []
  const state = known ?? (await store.inputsOf(task))
  const begun = state ? task.ins.flatMap((number) => filesOfTask(number, state)) : []
  const atHand = (task.pieces ?? []).flatMap(({ files }) => files)
  const parts = task.expandedBy === undefined ? [] : await store.parts(task)
  return [...begun, ...atHand, ...parts.flatMap(({ files }) => files)]
}

/** By how they stand in the record. */
function openedOf({ spec, pieces, jobId }: Task, vault: Vault): Record<string, unknown> {
  const opened: Record<string, unknown> = {}
  mapped([spec, pieces], (one) => {
    if (!isSealed(one)) return undefined
    const value = vault.open(one, jobId)
    opened[one.sealed] = value
    return { value }
  })
  return opened
}
