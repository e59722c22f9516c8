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
export async function servicesFor(
  { work }: TaskMessage,
  { services, queue, remainingMs }: Pick<TaskRun, 'queue' | 'remainingMs'> & { readonly services: Services },
): Promise<TaskServices | undefined> {
  // Transfers stream what no engine sees, by the right of their own role.
  if (services.config.TASK_FILES === 'direct' || queue === 'transfer') return services
  const signed = work && ('url' in work ? await fetched(work.url) : work)
  if (!signed || signed.until < Date.now() + remainingMs) return undefined
  // Beneath it stays what it is: some of it is made when it is first wanted, and the secret is there for none of that.
  return Object.create(services, {
    files: { value: new SignedFiles(signed) },
    vault: { value: new OpenedVault(signed.opened) },
  }) as TaskServices
}

/** Undefined when it can no longer be had. */
async function fetched(url: string): Promise<PresignedWork | undefined> {
  const answer = await fetch(url)
  if (answer.ok) return PresignedWork.parse(await answer.json())
  await answer.body?.cancel()
  if (answer.status === 403 || answer.status === 404) return undefined
  throw new Error(`the storage answered ${answer.status}`)
}

/** Knows the secrets of one task, and how they stand in its record; it has no key. */
export class OpenedVault implements TaskVault {
  readonly #opened: Readonly<Record<string, unknown>>

  constructor(opened: Readonly<Record<string, unknown>>) {
    this.#opened = opened
  }

  openAll<T>(value: T): T {
    return mapped(value, (one) => {
      if (!isSealed(one)) return undefined
      if (!Object.hasOwn(this.#opened, one.sealed))
        throw new Error('nobody has opened this secret of the task')
      return { value: this.#opened[one.sealed] }
    }) as T
  }

  /** As they stood before. */
  sealSome(values: Readonly<Record<string, unknown>>, secrets: ReadonlySet<string>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        if (!secrets.has(name) || value === undefined || isSealed(value)) return [name, value]
        const before = Object.entries(this.#opened).find(([, opened]) => isDeepStrictEqual(opened, value))
        if (!before) throw new Error('this secret was never sealed')
        return [name, { sealed: before[0] }]
      }),
    )
  }
}
