// What the records of a job have sealed: opened to run it, and to know what must never be shown.
import type { JobState, Task } from '../../jobs/job.ts'
import { isSealed, type Sealed, type Vault } from '../../sealed.ts'

/** The values themselves; none when the vault is another one, and then they cannot come up either. */
export function collectSecrets({ tasks, chunks }: JobState, vault: Vault | undefined): string[] {
  return [...tasks, ...chunks]
    .flatMap((task) =>
      findSealed([task.spec, task.pieces]).map((one): unknown => openSealed(task, one, vault)),
    )
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String)
    .filter((secret) => secret !== '')
}

/** Undefined when its secrets cannot be opened. */
export function openSecrets(task: Task, vault: Vault | undefined): Task | undefined {
  if (findSealed(task.spec).length === 0) return task
  return openSealed(task, task, vault)
}

function openSealed<T>({ jobId }: Task, value: T, vault: Vault | undefined): T | undefined {
  try {
    return vault?.openAll(value, jobId)
  } catch {
    // Sealed with another secret: that is an answer too.
    return undefined
  }
}

function findSealed(value: unknown): Sealed[] {
  if (isSealed(value)) return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(findSealed)
}
