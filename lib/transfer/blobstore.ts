import type { Readable } from 'node:stream'
import {
  AnonymousCredential,
  ContainerClient,
  newPipeline,
  type RequestPolicyFactory,
  RestError,
  StorageSharedKeyCredential,
} from '@azure/storage-blob'
import type { CheckedAgents } from './agents.ts'
import { filesBelow, lastPart } from './files-below.ts'
import type { Fields, Find, OpenStore, RemoteFile, Surroundings } from './transfer.ts'
import { translating } from './translated.ts'

/** A container as a task names it; see lib/tasks/blobstore.ts. */
interface Container {
  readonly storage_account: string
  readonly container: string
  readonly sas_token?: string
  readonly storage_access_key?: string
  readonly endpoint?: string
}

const blockBytes = 4 * 1024 ** 2
const blocksAtATime = 3

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
  const { blob, blob_prefix: prefix = '' } = fields as { blob?: string; blob_prefix?: string }
  const place = container.containerName
  const asked = { field: 'blob_prefix', prefix, place: `container ${place}` }
  const listed = () => container.listBlobsFlat({ prefix, abortSignal: surroundings.signal })
  const blobs =
    blob === undefined ? await translated(place, () => filesBelow(listed(), asked)) : [{ name: blob }]
  return Promise.all(blobs.map(({ name }) => fileOf(container, name, surroundings)))
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
    filename: lastPart(name),
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

const translated = translating((error) =>
  error instanceof RestError && error.statusCode !== undefined
    ? { status: error.statusCode, code: error.code ?? 'no code' }
    : undefined,
)
