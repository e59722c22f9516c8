// Worker processes read and write files of the bucket by sending requests over IPC to the service that started them.
import { copyLocatedFiles } from '../../aws/prefetched-files.ts'
import type { FileExchange, LocatedFile } from '../../io/local-connections.ts'

type PutArgs = Parameters<FileExchange['put']>
type GetArgs = Parameters<FileExchange['get']>
type LocateArgs = Parameters<FileExchange['locate']>

export type FileRequest = {
  readonly type: 'file'
  readonly id: number
} & (
  | { readonly verb: 'put'; readonly args: PutArgs }
  | { readonly verb: 'locate'; readonly args: LocateArgs }
)

export interface FileResponse {
  readonly type: 'file'
  readonly id: number
  /** Result of a `locate` request. */
  readonly located?: readonly LocatedFile[]
  /** Why the request failed; undefined on success. */
  readonly failure?: { readonly name: string; readonly message: string }
}

/** Command-line flag of a worker whose bucket is on this machine. */
export const fileSharingFlag = '--sharing-files'

/** Carries out a worker's request in the service. */
export async function handleFileRequest(request: FileRequest, exchange: FileExchange): Promise<FileResponse> {
  const { type, id } = request
  try {
    if (request.verb === 'locate') return { type, id, located: await exchange.locate(...request.args) }
    await exchange.put(...request.args)
    return { type, id }
  } catch (error) {
    return { type, id, failure: toFileFailure(error) }
  }
}

/** Returns an error with the error code as its name, as in the SDK. */
function toFileFailure(error: unknown): NonNullable<FileResponse['failure']> {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const name = 'code' in error ? String(error.code) : error.name
  return { name, message: error.message }
}

/** The worker's side of the file exchange. Requests need no timeout, because the worker exits with its service. */
export class FileExchangeClient implements FileExchange {
  readonly #send: (request: FileRequest) => void
  readonly #pendingLocates = new Map<number, PromiseWithResolvers<readonly LocatedFile[]>>()
  #next = 1

  constructor(send: (request: FileRequest) => void) {
    this.#send = send
  }

  async put(...args: PutArgs): Promise<void> {
    await this.#request((id) => ({ type: 'file', id, verb: 'put', args }))
  }

  /** Copies the file in the worker: the service, which may be root, must not write to a path that a worker names. */
  async get(...[key, path, etag]: GetArgs): Promise<void> {
    await copyLocatedFiles(await this.locate(key, etag), path)
  }

  locate(...args: LocateArgs): Promise<readonly LocatedFile[]> {
    return this.#request((id) => ({ type: 'file', id, verb: 'locate', args }))
  }

  #request(createRequest: (id: number) => FileRequest): Promise<readonly LocatedFile[]> {
    const id = this.#next++
    const response = Promise.withResolvers<readonly LocatedFile[]>()
    this.#pendingLocates.set(id, response)
    this.#send(createRequest(id))
    return response.promise
  }

  handleResponse({ id, located = [], failure }: FileResponse): void {
    const response = this.#pendingLocates.get(id)
    this.#pendingLocates.delete(id)
    if (failure) response?.reject(Object.assign(new Error(failure.message), { name: failure.name }))
    else response?.resolve(located)
  }
}
