import { isDeepStrictEqual } from 'node:util'
import { SignedFiles } from '../../aws/signed-files.ts'
import { isSealed, mapped } from '../../sealed.ts'
import type { Services } from '../../services.ts'
import { PresignedWork, type TaskMessage } from '../task-message.ts'
import type { TaskRun } from './task-run.ts'
import type { TaskServices, TaskVault } from './task-services.ts'

/**
 * The services for one task: with all files and secrets where this process reaches them, otherwise with those that came
 * in the message. Undefined when nobody has signed for it, or the signatures may end before the work does.
 */
export async function createTaskServices(
  { work }: TaskMessage,
  { services, queue, remainingMs }: Pick<TaskRun, 'queue' | 'remainingMs'> & { readonly services: Services },
): Promise<TaskServices | undefined> {
  // Transfers stream what no engine sees, by the right of their own role.
  if (services.config.TASK_FILES === 'direct' || queue === 'transfer') return services
  const presigned = work && ('url' in work ? await fetchWork(work.url) : work)
  if (!presigned || presigned.until < Date.now() + remainingMs) return undefined
  // Beneath it stays what it is: some of it is made when it is first wanted, and the secret is there for none of that.
  return Object.create(services, {
    files: { value: new SignedFiles(presigned) },
    vault: { value: new PresignedVault(presigned.opened) },
  }) as TaskServices
}

/** Undefined when it can no longer be had. */
async function fetchWork(url: string): Promise<PresignedWork | undefined> {
  const response = await fetch(url)
  if (response.ok) return PresignedWork.parse(await response.json())
  await response.body?.cancel()
  if (response.status === 403 || response.status === 404) return undefined
  throw new Error(`the storage answered ${response.status}`)
}

/** Knows the secrets of one task, and how they stand in its record; it has no key. */
export class PresignedVault implements TaskVault {
  readonly #secretsBySealed: Readonly<Record<string, unknown>>

  constructor(opened: Readonly<Record<string, unknown>>) {
    this.#secretsBySealed = opened
  }

  openAll<T>(value: T): T {
    return mapped(value, (one) => {
      if (!isSealed(one)) return undefined
      if (!Object.hasOwn(this.#secretsBySealed, one.sealed))
        throw new Error('nobody has opened this secret of the task')
      return { value: this.#secretsBySealed[one.sealed] }
    }) as T
  }

  /** As they stood before. */
  sealSome(values: Readonly<Record<string, unknown>>, secrets: ReadonlySet<string>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        if (!secrets.has(name) || value === undefined || isSealed(value)) return [name, value]
        const before = Object.entries(this.#secretsBySealed).find(([, opened]) =>
          isDeepStrictEqual(opened, value),
        )
        if (!before) throw new Error('this secret was never sealed')
        return [name, { sealed: before[0] }]
      }),
    )
  }
}
