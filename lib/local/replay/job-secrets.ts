// What the records of a job have sealed: opened to run it, and to know what must never be shown.
import type { JobState, Task } from '../../jobs/job.ts'
import { isSealed, type Sealed, type Vault } from '../../sealed.ts'

/** The values themselves; none when the vault is another one, and then they cannot come up either. */
export function secretsOf({ tasks, chunks }: JobState, vault: Vault | undefined): string[] {
  return [...tasks, ...chunks]
    .flatMap((task) => sealedIn([task.spec, task.pieces]).map((one): unknown => openedIn(task, one, vault)))
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String)
    .filter((secret) => secret !== '')
}

/** Undefined when its secrets cannot be opened. */
export function withSecrets(task: Task, vault: Vault | undefined): Task | undefined {
  if (sealedIn(task.spec).length === 0) return task
  return openedIn(task, task, vault)
}

function openedIn<T>({ jobId }: Task, value: T, vault: Vault | undefined): T | undefined {
  try {
    return vault?.openAll(value, jobId)
  } catch {
    // Sealed with another secret: that is an answer too.
    return undefined
  }
}

function sealedIn(value: unknown): Sealed[] {
  if (isSealed(value)) return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(sealedIn)
}
