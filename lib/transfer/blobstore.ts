import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  AnonymousCredential,
  type BlobClient,
  BlobSASPermissions,
  type BlockBlobClient,
  ContainerClient,
  newPipeline,
  type RequestPolicyFactory,
  RestError,
  StorageSharedKeyCredential,
} from '@azure/storage-blob'
import { forEachConcurrently } from '../async/for-each-concurrently.ts'
import { defined } from '../validation/defined.ts'
import type { GuardedAgents } from './guarded-agents.ts'
import { getBaseName, listPrefix } from './list-prefix.ts'
import { createErrorMapper, createStoreResponseError } from './map-store-errors.ts'
import { readChunks } from './stream-chunks.ts'
import type { FindFiles, OpenStore, OutgoingFile, RemoteFile, TaskFields, TransferDeps } from './transfer.ts'

/** A container in the fields of a task; see lib/tasks/blobstore.ts. */
interface Container {
  readonly storage_account: string
  readonly container: string
  readonly sas_token?: string
  readonly storage_access_key?: string
  readonly endpoint?: string
}

/**
 * Size of a block in bytes; a blob has at most 50,000 blocks. Blocks are streamed, so large ones need no more memory.
 */
const blockBytes = 64 * 1024 ** 2
const maxBlocks = 50_000
const maxConcurrentBlocks = 2
/** API version for requests without a SAS token; the default version of 2009 does not support conditions. */
const apiVersion = '2021-12-02'
/** Lifetime of a signed URL, in milliseconds. */
const sasLifetimeMs = 15 * 60_000

function openContainer(fields: TaskFields, { guardedHttp }: TransferDeps): ContainerClient {
  const settings = fields as unknown as Container // parsed when the task was created
  const { storage_account: account, container, sas_token: token = '', storage_access_key: key } = settings
  const base = settings.endpoint ?? `https://${account}.blob.core.windows.net`
  const containerUrl = new URL(`${base.replace(/\/$/, '')}/${container}`)
  containerUrl.search = token.replace(/^\?/, '')
  const credential = key ? new StorageSharedKeyCredential(account, key) : new AnonymousCredential()
  const pipeline = newPipeline(credential, { retryOptions: { maxTries: 3, maxRetryDelayInMs: 5000 } })
  pipeline.factories.unshift(useGuardedAgents(guardedHttp.agents))
  return new ContainerClient(containerUrl.href, pipeline)
}

const useGuardedAgents = ({ http, https }: GuardedAgents): RequestPolicyFactory => ({
  create: (next) => ({
    sendRequest: (request) => {
      request.agent = request.url.startsWith('https:') ? https : http
      return next.sendRequest(request)
    },
  }),
})

export const findInBlobstore: FindFiles = async (fields, deps) => {
  const container = openContainer(fields, deps)
  // The fields were parsed when the task was created.
  const { blob, blob_prefix: prefix = '' } = fields as { blob?: string; blob_prefix?: string }
  const location = container.containerName
  const query = { field: 'blob_prefix', prefix, location: `container ${location}` }
  const files =
    blob === undefined
      ? await mapErrors(location, () => listPrefix(listBlobs(container, prefix, deps), query))
      : [await readBlob(container, blob, deps)]
  return files.map((file) => toRemoteFile(container, file, deps))
}

/** A blob from a list, or from its properties. */
interface FoundBlob {
  readonly name: string
  readonly size: number | undefined
  readonly tag: string | undefined
}

async function* listBlobs(
  container: ContainerClient,
  prefix: string,
  { signal }: TransferDeps,
): AsyncGenerator<FoundBlob> {
  for await (const { name, properties } of container.listBlobsFlat({ prefix, abortSignal: signal }))
    yield { name, size: properties.contentLength, tag: quoteEtag(properties.etag) }
}

/** Adds the quotes to an ETag, which conditions need and lists omit. */
const quoteEtag = (tag: string | undefined) => (tag && !tag.startsWith('"') ? `"${tag}"` : tag)

async function readBlob(
  container: ContainerClient,
  name: string,
  { signal }: TransferDeps,
): Promise<FoundBlob> {
  const client = container.getBlobClient(name)
  const { contentLength, etag } = await mapErrors(`${container.containerName}/${name}`, () =>
    client.getProperties({ abortSignal: signal }),
  )
  return { name, size: contentLength, tag: etag }
}

function toRemoteFile(
  container: ContainerClient,
  { name, size, tag }: FoundBlob,
  { guardedHttp }: TransferDeps,
): RemoteFile {
  const location = `${container.containerName}/${name}`
  return {
    filename: getBaseName(name),
    size,
    isResumable: tag !== undefined,
    // The blob is not read with Azure's client, whose streams take twice the CPU time.
    open: async (start, signal) => {
      const headers = {
        'x-ms-version': apiVersion,
        ...defined({ 'if-match': tag }),
        ...(start > 0 && { range: `bytes=${start}-` }),
      }
      const url = await createSignedUrl(container.getBlobClient(name))
      const response = await guardedHttp.request(url, { headers, signal, maxRedirects: 0 })
      if (response.status === (start > 0 ? 206 : 200)) return response.body
      response.body.destroy()
      throw createStoreResponseError(location, {
        status: response.status,
        code: response.headers['x-ms-error-code']?.toString(),
      })
    },
  }
}

/** Returns a signed URL. If the user provided a SAS token, the URL already contains it. */
const createSignedUrl = async (blob: BlobClient): Promise<string> =>
  blob.credential instanceof StorageSharedKeyCredential
    ? blob.generateSasUrl({
        permissions: BlobSASPermissions.from({ read: true }),
        expiresOn: new Date(Date.now() + sasLifetimeMs),
      })
    : blob.url

export const openBlobstore: OpenStore = async (fields, deps) => {
  const container = openContainer(fields, deps)
  // The fields were parsed when the task was created.
  const { cache_control, content_disposition, metadata } = fields as {
    cache_control?: string
    content_disposition?: string
    metadata?: Record<string, string>
  }
  return {
    async put(file, onSent) {
      const { path, mimeType } = file
      const client = container.getBlockBlobClient(path)
      const options = {
        abortSignal: deps.signal,
        blobHTTPHeaders: {
          blobContentType: mimeType,
          ...(cache_control && { blobCacheControl: cache_control }),
          ...(content_disposition && { blobContentDisposition: content_disposition }),
        },
        ...defined({ metadata }),
      }
      await mapErrors(`${container.containerName}/${path}`, async () =>
        client.commitBlockList(await sendBlocks(client, file, deps.signal, onSent), options),
      )
      // The location omits the query, which may contain a SAS token.
      return client.url.split('?')[0] ?? client.url
    },
    close: async () => {},
  }
}

/**
 * Sends the blocks of a file; for a retry, a block is read again. Azure deletes uncommitted blocks after a week.
 * @returns the block ids in order.
 */
async function sendBlocks(
  client: BlockBlobClient,
  file: OutgoingFile,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<string[]> {
  const step = Math.max(blockBytes, Math.ceil(file.size / maxBlocks))
  const starts = Array.from({ length: Math.ceil(file.size / step) }, (_, at) => at * step)
  const upload = randomUUID()
  const createBlockId = (start: number) =>
    Buffer.from(`${upload} ${start / step + 100_000}`).toString('base64')
  const failureController = new AbortController()
  const abortSignal = AbortSignal.any([signal, failureController.signal])
  try {
    await forEachConcurrently(starts, maxConcurrentBlocks, async (start) => {
      const end = Math.min(start + step, file.size)
      const body = () =>
        // The library does not notice an error of the stream and would wait for more data.
        Readable.from(openChunks(file, { start, end }), { objectMode: false }).once('error', (error) =>
          failureController.abort(error),
        )
      await client.stageBlock(createBlockId(start), body, end - start, { abortSignal })
      onSent(end - start)
    })
  } catch (error) {
    const cause: unknown = failureController.signal.aborted ? failureController.signal.reason : error
    failureController.abort()
    throw cause
  }
  return starts.map(createBlockId)
}

async function* openChunks(file: OutgoingFile, range: { readonly start: number; readonly end: number }) {
  yield* readChunks(await file.open(range))
}

const mapErrors = createErrorMapper((error) =>
  error instanceof RestError && error.statusCode !== undefined
    ? { status: error.statusCode, code: error.code }
    : undefined,
)
