import type { Readable } from 'node:stream'
import {
  AnonymousCredential,
  ContainerClient,
  newPipeline,
  type RequestPolicyFactory,
  RestError,
  StorageSharedKeyCredential,
} from '@azure/storage-blob'
import { AppError } from '../errors.ts'
import type { CheckedAgents } from './agents.ts'
import { RemoteError } from './remote-error.ts'
import type { Fields, Find, OpenStore, RemoteFile, Surroundings } from './transfer.ts'

/** A container as a task names it; see lib/tasks/blobstore-fields.ts. */
interface Container {
  readonly storage_account: string
  readonly container: string
  readonly sas_token?: string
  readonly storage_access_key?: string
  readonly endpoint?: string
}

/** Files of one import, most of which a prefix names. */
const mostFiles = 1000
const blockBytes = 8 * 1024 ** 2
const blocksAtATime = 4

function containerOf(fields: Fields, { outgoing }: Surroundings): ContainerClient {
  const given = fields as unknown as Container // parsed when the task was made
  const { storage_account: account, container, sas_token: token = '', storage_access_key: key } = given
  const base = given.endpoint ?? `https://${account}.blob.core.windows.net`
  const address = new URL(`${base.replace(/\/$/, '')}/${container}`)
  address.search = token.replace(/^\?/, '')
  const credential = key ? new StorageSharedKeyCredential(account, key) : new AnonymousCredential()
  const pipeline = newPipeline(credential, { retryOptions: { maxTries: 3, maxRetryDelayInMs: 5000 } })
  pipeline.factories.unshift(throughChecked(outgoing.agents))
  return new ContainerClient(address.href, pipeline)
}

const throughChecked = ({ http, https }: CheckedAgents): RequestPolicyFactory => ({
  create: (next) => ({
    sendRequest: (request) => {
      request.agent = request.url.startsWith('https:') ? https : http
      return next.sendRequest(request)
    },
  }),
})

export const findInBlobstore: Find = async (fields, surroundings) => {
  const container = containerOf(fields, surroundings)
  const { blob, blob_prefix: prefix } = fields as { blob?: string; blob_prefix?: string }
  const names = blob === undefined ? await namesBelow(container, prefix ?? '', surroundings) : [blob]
  return Promise.all(names.map((name) => fileOf(container, name, surroundings)))
}

async function namesBelow(container: ContainerClient, prefix: string, { signal }: Surroundings) {
  const place = container.containerName
  const names: string[] = []
  await translated(place, async () => {
    for await (const { name } of container.listBlobsFlat({ prefix, abortSignal: signal })) {
      names.push(name)
      if (names.length > mostFiles)
        throw new AppError(
          'INVALID_INPUT',
          `blob_prefix: expected at most ${mostFiles} files below it. Name a longer prefix.`,
          { field: 'blob_prefix', max: mostFiles },
        )
    }
  })
  if (names.length > 0) return names
  throw new RemoteError('not-found', `There is no file below ${prefix} in the container ${place}.`)
}

async function fileOf(
  container: ContainerClient,
  name: string,
  { signal }: Surroundings,
): Promise<RemoteFile> {
  const place = `${container.containerName}/${name}`
  const client = container.getBlobClient(name)
  const { contentLength, etag } = await translated(place, () => client.getProperties({ abortSignal: signal }))
  return {
    filename: name.split('/').at(-1) ?? name,
    size: contentLength,
    isResumable: etag !== undefined,
    open: async (start, abortSignal) => {
      const { readableStreamBody } = await translated(place, () =>
        // An empty blob has no first byte to begin with.
        client.download(start, undefined, { abortSignal, conditions: { ...(etag && { ifMatch: etag }) } }),
      )
      return readableStreamBody as Readable // on Node; its type also covers browsers
    },
  }
}

export const openBlobstore: OpenStore = async (fields, surroundings) => {
  const container = containerOf(fields, surroundings)
  const { cache_control, content_disposition, metadata } = fields as {
    cache_control?: string
    content_disposition?: string
    metadata?: Record<string, string>
  }
  return {
    async put({ path, mimeType, open }, sent) {
      const place = `${container.containerName}/${path}`
      const client = container.getBlockBlobClient(path)
      let told = 0
      // Blocks that are never put together are nothing to anybody, and go after a week.
      await translated(place, async () =>
        client.uploadStream(await open(), blockBytes, blocksAtATime, {
          abortSignal: surroundings.signal,
          blobHTTPHeaders: {
            blobContentType: mimeType,
            ...(cache_control && { blobCacheControl: cache_control }),
            ...(content_disposition && { blobContentDisposition: content_disposition }),
          },
          ...(metadata && { metadata }),
          onProgress: ({ loadedBytes }) => {
            sent(Math.max(0, loadedBytes - told))
            told = Math.max(told, loadedBytes)
          },
        }),
      )
      // Without its query, which may be a token.
      return client.url.split('?')[0] ?? client.url
    },
    close: async () => {},
  }
}

/** What the other side says in words of ours. */
async function translated<T>(place: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    throw translation(place, error)
  }
}

function translation(place: string, error: unknown): unknown {
  if (error instanceof AppError || error instanceof RemoteError) return error
  const refused = notAllowedIn(error)
  if (refused) return refused
  if (!(error instanceof RestError) || error.statusCode === undefined)
    return new RemoteError('unreachable', `The storage of ${place} could not be reached.`, { cause: error })
  const { statusCode: status, code = 'no code' } = error
  const details = { status, cause: error }
  if (status === 401 || status === 403)
    return new RemoteError('forbidden', `The storage refuses access to ${place} (${code}).`, details)
  if (status === 404) return new RemoteError('not-found', `The storage has no ${place} (${code}).`, details)
  if (status === 412)
    return new RemoteError('incomplete', `The file ${place} changed while it was fetched.`, {
      ...details,
      changed: true,
    })
  return new RemoteError('status', `The storage of ${place} answered ${code} (status ${status}).`, {
    ...details,
    isPassing: status >= 500 || status === 429,
  })
}

/** The refusal of an address, which the client wraps in errors of its own. */
function notAllowedIn(error: unknown): AppError | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (at instanceof AppError) return at
  const { message = '' } = error as { message?: string }
  return message.includes('is not a public one') ? new AppError('URL_NOT_ALLOWED', message) : undefined
}
