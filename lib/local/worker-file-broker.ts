// How the processes that run conversions get files from the bucket and into it: they ask the service that started them.
import type { FileExchange, LentFile } from '../aws/connections.ts'

type Put = Parameters<FileExchange['put']>
type Get = Parameters<FileExchange['get']>
type Lend = Parameters<FileExchange['lend']>

export type FileWish = {
  readonly type: 'file'
  readonly id: number
} & (
  | { readonly verb: 'put'; readonly args: Put }
  | { readonly verb: 'get'; readonly args: Get }
  | { readonly verb: 'lend'; readonly args: Lend }
)

export interface FileAnswer {
  readonly type: 'file'
  readonly id: number
  /** What is lent. */
  readonly lent?: readonly LentFile[]
  /** Left out when it was done. */
  readonly failure?: { readonly name: string; readonly message: string }
}

/** The argument of a worker whose bucket lies on this machine. */
export const sharingFiles = '--sharing-files'

/** What the service does for one of its workers. */
export async function answerWish(wish: FileWish, exchange: FileExchange): Promise<FileAnswer> {
  const { type, id } = wish
  try {
    if (wish.verb === 'lend') return { type, id, lent: await exchange.lend(...wish.args) }
    if (wish.verb === 'put') await exchange.put(...wish.args)
    else await exchange.get(...wish.args)
    return { type, id }
  } catch (error) {
    return { type, id, failure: failureOf(error) }
  }
}

/** The SDK names its errors by the code that a server gives. */
function failureOf(error: unknown): NonNullable<FileAnswer['failure']> {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const name = 'code' in error ? String(error.code) : error.name
  return { name, message: error.message }
}

/** The other side of it. Wishes end with the worker, which ends with its service. */
export class AskedFiles implements FileExchange {
  readonly #ask: (wish: FileWish) => void
  readonly #waiting = new Map<number, PromiseWithResolvers<readonly LentFile[]>>()
  #next = 1

  constructor(ask: (wish: FileWish) => void) {
    this.#ask = ask
  }

  async put(...args: Put): Promise<void> {
    await this.#wish((id) => ({ type: 'file', id, verb: 'put', args }))
  }

  async get(...args: Get): Promise<void> {
    await this.#wish((id) => ({ type: 'file', id, verb: 'get', args }))
  }

  lend(...args: Lend): Promise<readonly LentFile[]> {
    return this.#wish((id) => ({ type: 'file', id, verb: 'lend', args }))
  }

  #wish(make: (id: number) => FileWish): Promise<readonly LentFile[]> {
    const id = this.#next++
    const answer = Promise.withResolvers<readonly LentFile[]>()
    this.#waiting.set(id, answer)
    this.#ask(make(id))
    return answer.promise
  }

  hear({ id, lent = [], failure }: FileAnswer): void {
    const answer = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (failure) answer?.reject(Object.assign(new Error(failure.message), { name: failure.name }))
    else answer?.resolve(lent)
  }
}
