// The encrypted secrets in a job's records, which are decrypted to run its tasks and to hide them in the output.

import { isSealed, type Sealed, type Vault } from '../../../crypto/sealed.ts'
import type { JobState, Task } from '../../../model/job.ts'

/**
 * Returns the decrypted secrets; none if the vault has the wrong key, with which a run cannot decrypt and print them.
 */
export function collectSecrets({ tasks, chunks }: JobState, vault: Vault | undefined): string[] {
  return [...tasks, ...chunks]
    .flatMap((task) =>
      findSealed([task.spec, task.pieces]).map((sealedValue): unknown =>
        openSealed(task, sealedValue, vault),
      ),
    )
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String)
    .filter((secret) => secret !== '')
}

/** Returns the task with decrypted secrets; undefined if they cannot be decrypted. */
export function openSecrets(task: Task, vault: Vault | undefined): Task | undefined {
  if (findSealed(task.spec).length === 0) return task
  return openSealed(task, task, vault)
}

function openSealed<T>({ jobId }: Task, value: T, vault: Vault | undefined): T | undefined {
  try {
    return vault?.unsealAll(value, jobId)
  } catch {
    // The secret was encrypted with a key that this vault does not have.
    return undefined
  }
}

function findSealed(value: unknown): Sealed[] {
  if (isSealed(value)) return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(findSealed)
}
