// How the processes that run conversions get files from the bucket and into it: they ask the service that started them.
import type { FileExchange, LentFile } from '../aws/connections.ts'

type Put = Parameters<FileExchange['put']>
type Get = Parameters<FileExchange['get']>
type Lend = Parameters<FileExchange['lend']>

export type FileRequest = {
  readonly type: 'file'
  readonly id: number
} & (
  | { readonly verb: 'put'; readonly args: Put }
  | { readonly verb: 'get'; readonly args: Get }
  | { readonly verb: 'lend'; readonly args: Lend }
)

export interface FileResponse {
  readonly type: 'file'
  readonly id: number
  /** What is lent. */
  readonly lent?: readonly LentFile[]
  /** Left out when it was done. */
  readonly failure?: { readonly name: string; readonly message: string }
}

/** The argument of a worker whose bucket lies on this machine. */
export const fileSharingFlag = '--sharing-files'

/** What the service does for one of its workers. */
export async function handleFileRequest(request: FileRequest, exchange: FileExchange): Promise<FileResponse> {
  const { type, id } = request
  try {
    if (request.verb === 'lend') return { type, id, lent: await exchange.lend(...request.args) }
    if (request.verb === 'put') await exchange.put(...request.args)
    else await exchange.get(...request.args)
    return { type, id }
  } catch (error) {
    return { type, id, failure: toFileFailure(error) }
  }
}

/** The SDK names its errors by the code that a server gives. */
function toFileFailure(error: unknown): NonNullable<FileResponse['failure']> {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const name = 'code' in error ? String(error.code) : error.name
  return { name, message: error.message }
}

/** The other side of it. Wishes end with the worker, which ends with its service. */
export class FileExchangeClient implements FileExchange {
  readonly #send: (request: FileRequest) => void
  readonly #pending = new Map<number, PromiseWithResolvers<readonly LentFile[]>>()
  #next = 1

  constructor(send: (request: FileRequest) => void) {
    this.#send = send
  }

  async put(...args: Put): Promise<void> {
    await this.#request((id) => ({ type: 'file', id, verb: 'put', args }))
  }

  async get(...args: Get): Promise<void> {
    await this.#request((id) => ({ type: 'file', id, verb: 'get', args }))
  }

  lend(...args: Lend): Promise<readonly LentFile[]> {
    return this.#request((id) => ({ type: 'file', id, verb: 'lend', args }))
  }

  #request(make: (id: number) => FileRequest): Promise<readonly LentFile[]> {
    const id = this.#next++
    const response = Promise.withResolvers<readonly LentFile[]>()
    this.#pending.set(id, response)
    this.#send(make(id))
    return response.promise
  }

  handleResponse({ id, lent = [], failure }: FileResponse): void {
    const response = this.#pending.get(id)
    this.#pending.delete(id)
    if (failure) response?.reject(Object.assign(new Error(failure.message), { name: failure.name }))
    else response?.resolve(lent)
  }
}
