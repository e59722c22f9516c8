import { isDeepStrictEqual } from 'node:util'
import { SignedFiles } from '../../aws/signed-files.ts'
import { isSealed, mapDeep } from '../../crypto/sealed.ts'
import { PresignedWork, type TaskMessage } from '../../model/task-message.ts'
import type { Services } from '../../services/services.ts'
import type { TaskRun } from './task-run.ts'
import type { TaskServices, TaskVault } from './task-services.ts'

/**
 * Returns the services for one task: with all files and secrets if this process can access them, otherwise with those
 * in the message. Undefined if the message is not signed, or if the signatures may expire before the task ends.
 */
export async function createTaskServices(
  { work }: TaskMessage,
  { services, queue, remainingMs }: Pick<TaskRun, 'queue' | 'remainingMs'> & { readonly services: Services },
): Promise<TaskServices | undefined> {
  // Transfers run no engine and access files with the role of their own function.
  if (services.config.TASK_FILES === 'direct' || queue === 'transfer') return services
  const presignedWork = work && ('url' in work ? await fetchWork(work.url) : work)
  if (!presignedWork || presignedWork.until < Date.now() + remainingMs) return undefined
  // The new object inherits from the services, so that each service is still created on first use. The inherited files
  // and vault could not be used, because this process does not have the secret.
  return Object.create(services, {
    files: { value: new SignedFiles(presignedWork) },
    vault: { value: new PresignedVault(presignedWork.opened) },
  }) as TaskServices
}

/** Fetches the presigned work of a message. Returns undefined if it has expired or been deleted. */
async function fetchWork(url: string): Promise<PresignedWork | undefined> {
  const response = await fetch(url)
  if (response.ok) return PresignedWork.parse(await response.json())
  await response.body?.cancel()
  if (response.status === 403 || response.status === 404) return undefined
  throw new Error(`the storage responded with status ${response.status}`)
}

/** A vault without a key. It only contains the unsealed secrets of one task, keyed by their sealed values. */
export class PresignedVault implements TaskVault {
  readonly #secretsBySealed: Readonly<Record<string, unknown>>

  constructor(openedSecrets: Readonly<Record<string, unknown>>) {
    this.#secretsBySealed = openedSecrets
  }

  unsealAll<T>(value: T): T {
    return mapDeep(value, (sealedValue) => {
      if (!isSealed(sealedValue)) return undefined
      if (!Object.hasOwn(this.#secretsBySealed, sealedValue.sealed))
        throw new Error('the message does not contain this secret of the task')
      return { value: this.#secretsBySealed[sealedValue.sealed] }
    }) as T // the same, except for sealed values
  }

  /** Replaces secrets by the sealed values that they came from. */
  sealSecrets(
    values: Readonly<Record<string, unknown>>,
    secrets: ReadonlySet<string>,
  ): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        if (!secrets.has(name) || value === undefined || isSealed(value)) return [name, value]
        const sealedBefore = Object.entries(this.#secretsBySealed).find(([, opened]) =>
          isDeepStrictEqual(opened, value),
        )
        if (!sealedBefore) throw new Error('this secret has no sealed value')
        return [name, { sealed: sealedBefore[0] }]
      }),
    )
  }
}
