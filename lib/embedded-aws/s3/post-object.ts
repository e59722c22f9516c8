// PostObject: an upload from a browser form, with one file after the fields.
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import busboy from 'busboy'
import { uriEncode } from '../sigv4.ts'
import { readCredential } from '../sigv4-claim.ts'
import { maxS3PutBytes, storeChunksAsBlob } from './body.ts'
import type { Headers, S3Call, S3Reply, S3Services } from './call.ts'
import { createInvalidArgumentError, S3Error } from './errors.ts'
import {
  createEncryptionHeader,
  readStoredHeaders,
  refuseUnsupported,
  toHeaderValue,
} from './object-metadata.ts'
import { chooseAlgorithm, commitSingleBlob, readObjectTags } from './object-writes.ts'
import { createObjectArn, requirePermission } from './permissions.ts'
import { checkPolicy, type SizeLimits } from './post-policy.ts'
import type { S3Object } from './stored-object.ts'
import { fromXml, toXml } from './xml.ts'

const maxFieldsBytes = 64 << 10

interface Form {
  /** Form fields by lower-case name. */
  readonly fields: ReadonlyMap<string, string>
  readonly filename: string
  readonly file: AsyncIterable<Buffer>
}

export async function postObject(services: S3Services, call: S3Call): Promise<S3Reply> {
  try {
    call.proceed()
    return await storeForm(services, call, await readForm(call.request))
  } finally {
    // The parser may have paused the request; anything after the file is ignored.
    call.request.unpipe()
    call.request.resume()
  }
}

async function storeForm(services: S3Services, call: S3Call, form: Form): Promise<S3Reply> {
  const size = checkPolicy(form.fields, call.bucket, services.credentials, services.region)
  const template = form.fields.get('key') ?? ''
  if (template === '')
    throw createInvalidArgumentError(
      "Bucket POST must contain a field named 'key'.  If it is specified, please check the order of the fields.",
      'key',
      '',
    )
  // biome-ignore lint/suspicious/noTemplateCurlyInString: S3's placeholder looks like a template
  const key = template.replaceAll('${filename}', () => form.filename)
  if (Buffer.byteLength(key) > 1024)
    throw new S3Error('KeyTooLongError', undefined, { MaxSizeAllowed: '1024' })
  const signer = readCredential(form.fields.get('x-amz-credential'))?.accessKeyId ?? ''
  requirePermission(services, signer, 'PutObject', createObjectArn({ ...call, key }))
  const headers = toHeaders(form.fields)
  refuseUnsupported(headers)
  const tagging = form.fields.get('tagging')
  const description = {
    headers: readStoredHeaders(headers),
    tags: tagging === undefined ? [] : readObjectTags(fromXml(tagging, 'Tagging'), 'object'),
  }
  const putCall = { ...call, key, headers }
  const chunks = enforceSize(form.file, size ?? { minSize: 0, maxSize: maxS3PutBytes })
  const receivedBody = await storeChunksAsBlob(
    services,
    headers,
    { chunks, trailers: new Map() },
    chooseAlgorithm(putCall),
  )
  const object = await commitSingleBlob(services, putCall, description, receivedBody, 'ObjectCreated:Post')
  return createFormReply(form.fields, object, `${call.location}/${key.split('/').map(uriEncode).join('/')}`)
}

/** Converts form fields to the headers of a PUT, which have the same meaning. */
function toHeaders(fields: ReadonlyMap<string, string>): Headers {
  return new Map(
    [...fields].map(([name, value]) => [name === 'acl' ? 'x-amz-acl' : name, toHeaderValue(value)]),
  )
}

/** Reads the fields of a form; resolves when the file starts, because S3 ignores every field after it. */
function readForm(request: IncomingMessage): Promise<Form> {
  return new Promise((resolve, reject) => {
    const parser = openParser(request)
    const fields = new Map<string, string>()
    let bytes = 0
    const fail = (cause: unknown) => {
      request.unpipe(parser)
      const error = cause instanceof S3Error ? cause : new S3Error('MalformedPOSTRequest')
      parser.destroy()
      reject(error)
    }
    parser.on('field', (name, value, { valueTruncated }) => {
      bytes += name.length + Buffer.byteLength(value)
      if (bytes > maxFieldsBytes || valueTruncated) fail(new S3Error('MaxPostPreDataLengthExceeded'))
      // A file part without a filename arrives as a field.
      else if (name === 'file') resolve({ fields, filename: '', file: Readable.from([Buffer.from(value)]) })
      else fields.set(name.toLowerCase(), value)
    })
    parser.on('file', (_name, file, { filename }) => {
      // The reader of the file handles its errors. Before there is a reader, an error must not crash the process.
      file.on('error', () => undefined)
      // If a client disconnects, neither the parser nor the file stream ends.
      request.once('close', () => {
        if (!request.complete) file.destroy(new Error('The client disconnected'))
      })
      parser.on('error', (cause) =>
        file.destroy(cause instanceof Error ? cause : new Error('Malformed form')),
      )
      resolve({ fields, filename: filename ?? '', file: file.iterator({ destroyOnReturn: false }) })
    })
    parser.on('error', fail)
    parser.on('close', () =>
      fail(createInvalidArgumentError('POST requires exactly one file upload per request.', 'file', '0')),
    )
    request.once('close', () => {
      if (!request.complete) fail(new Error('The client disconnected'))
    })
    request.pipe(parser)
  })
}

function openParser({ headers }: IncomingMessage): busboy.Busboy {
  try {
    return busboy({
      headers,
      preservePath: false,
      defParamCharset: 'utf8',
      limits: { fieldSize: maxFieldsBytes, fields: 200, files: 1 },
    })
  } catch {
    throw new S3Error('MalformedPOSTRequest')
  }
}

async function* enforceSize(
  chunks: AsyncIterable<Buffer>,
  { minSize, maxSize }: SizeLimits,
): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > Math.min(maxSize, maxS3PutBytes))
      throw new S3Error('EntityTooLarge', undefined, {
        ProposedSize: `${size}`,
        MaxSizeAllowed: `${maxSize}`,
      })
    yield chunk
  }
  if (size < minSize)
    throw new S3Error('EntityTooSmall', undefined, { ProposedSize: `${size}`, MinSizeAllowed: `${minSize}` })
}

function createFormReply(fields: ReadonlyMap<string, string>, object: S3Object, location: string): S3Reply {
  const { bucket, key, etag } = object
  const headers = { etag: `"${etag}"`, location, ...createEncryptionHeader(object) }
  const redirect = fields.get('success_action_redirect') ?? fields.get('redirect') ?? ''
  if (/^https?:/.test(redirect) && URL.canParse(redirect)) {
    const url = new URL(redirect)
    for (const [name, value] of Object.entries({ bucket, key, etag: `"${etag}"` }))
      url.searchParams.append(name, value)
    return { status: 303, headers: { ...headers, location: url.href } }
  }
  const status = fields.get('success_action_status')
  if (status === '200') return { status: 200, headers }
  if (status !== '201') return { status: 204, headers }
  const xml = toXml('PostResponse', { Location: location, Bucket: bucket, Key: key, ETag: `"${etag}"` }, '')
  return { status: 201, headers, xml }
}
