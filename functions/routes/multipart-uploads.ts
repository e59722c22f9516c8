import * as z from 'zod'
import { getPlanLimits } from '../../lib/accounts/plan-limits.ts'
import { partLimits } from '../../lib/aws/multipart.ts'
import { declaredSize } from '../../lib/http/body/content-length.ts'
import { contentType } from '../../lib/http/body/content-type.ts'
import { type AnyContract, contract } from '../../lib/http/contract.ts'
import { writeAccess } from '../../lib/model/principal.ts'
import {
  abortMultipartUpload,
  completeMultipartUpload,
  findMultipartUpload,
  getMaxMultipartBytes,
  getPartSize,
  listUploadedParts,
  partUrlLifetimeS,
  signPartUrls,
  startMultipartUpload,
} from '../../lib/uploads/multipart-uploads.ts'
import { integer } from '../../lib/validation/coerce.ts'
import { component } from '../../lib/validation/component.ts'
import { createOptionsSchema, text } from '../../lib/validation/maxima.ts'

/**
 * Multipart uploads of large files, in which a lost connection only costs one part. The endpoints are shaped like the
 * multipart API of S3.
 */

export const UploadParams = z.object({ uploadId: text('id').describe('Id of the upload, `upl_…`') })
export const PartParams = UploadParams.extend({
  partNumber: integer(1, partLimits.maxParts).describe('Part number, starting at 1'),
})
export const KeyQuery = z.object({
  key: text('name')
    .optional()
    .describe('`key` from the reply that started the upload; if sent, it must match the upload'),
})

export const UploadedPart = component(
  'UploadedPart',
  z.object({
    PartNumber: z.int(),
    ETag: z.string().describe('`ETag` of the reply to the PUT of the part'),
    Size: z.int().describe('Size in bytes'),
  }),
)
export const CompleteBody = z.strictObject({
  parts: z
    .array(
      z.object({
        PartNumber: z.int().min(1).max(partLimits.maxParts),
        ETag: z.string().min(1).max(256).describe('`ETag` of the reply to the PUT of the part'),
      }),
    )
    .min(1)
    .max(partLimits.maxParts)
    .describe('All parts, in order of their numbers'),
})
export const toParts = ({ parts }: z.infer<typeof CompleteBody>) =>
  parts.map(({ PartNumber: number, ETag: etag }) => ({ number, etag }))
export const toPartView = ({ number, etag, size }: { number: number; etag: string; size: number }) => ({
  PartNumber: number,
  ETag: etag,
  Size: size,
})
export const PartUrl = component(
  'PartUrl',
  z.object({
    url: z.url(),
    method: z.literal('PUT'),
    headers: z.record(z.string(), z.string()).describe('Headers to send with the PUT'),
    expires: z.int().describe('Seconds until the URL expires'),
    expiresAt: z.iso.datetime(),
  }),
)
const CompletedUpload = component(
  'CompletedUpload',
  z.object({
    location: z.string().describe('URL of the upload status'),
    key: z.string(),
    bucket: z.string(),
    uploadId: z.string().describe('Id of the upload, for POST /v1/convert and similar requests'),
    size: z.int().describe('Size in bytes'),
    etag: z.string(),
  }),
)

const computeUrlExpiry = () => new Date(Date.now() + partUrlLifetimeS * 1000).toISOString()
export const toPartUrlView = (url: string) => ({
  url,
  method: 'PUT' as const,
  headers: {},
  expires: partUrlLifetimeS,
  expiresAt: computeUrlExpiry(),
})

const tag = 'Uploads'

export const createMultipart = contract({
  method: 'POST',
  path: '/v1/uploads/multipart',
  access: writeAccess,
  tag,
  summary: 'Start a multipart upload',
  description:
    'Multipart uploads are for large files and unreliable connections: get the URL of each part, PUT the part there and keep the `ETag` of the reply, then complete the upload and send its `uploadId` to POST /v1/convert. After an interruption, GET /v1/uploads/multipart/{uploadId} lists the parts that have arrived. Each part must be 5 MiB to 5 GiB in size; only the last part may be smaller. Uploads that are not completed are deleted within a day. Uppy (`@uppy/aws-s3`) does all of this with `companionEndpoint: "…/v1/uploads"`.',
  body: {
    accepts: ['json', 'form'],
    schema: z.strictObject({
      filename: z.string().min(1).max(1024),
      type: contentType.describe('MIME type'),
      size: declaredSize
        .optional()
        .describe('File size in bytes; a file that is too large is rejected immediately'),
      metadata: createOptionsSchema().optional().describe('Accepted but ignored'),
    }),
  },
  reply: {
    status: 201,
    headers: ['location'],
    form: 'mirrored',
    schema: z.object({
      uploadId: z.string(),
      key: z.string(),
      bucket: z.string(),
      partSize: z.int().describe('Recommended part size in bytes; other sizes work too'),
      maxParts: z.int(),
      minPartSize: z.int().describe('Minimum part size in bytes; the last part may be smaller'),
      maxSize: z.int().describe('Maximum size of all parts together, in bytes'),
      expiresAt: z.iso.datetime().describe('Time until which the file can be uploaded and used'),
    }),
  },
  idempotent: true,
  errors: ['INVALID_INPUT', 'FILE_TOO_LARGE', 'INSUFFICIENT_DISK_SPACE'],
  handle: async ({ body, principal }, services) => {
    const { filename, type, size } = body
    const upload = await startMultipartUpload({ principal, filename, contentType: type, size }, services)
    return {
      data: {
        uploadId: upload.id,
        key: upload.key,
        bucket: services.config.BUCKET_NAME,
        partSize: getPartSize(size ?? 0),
        maxParts: partLimits.maxParts,
        minPartSize: partLimits.minBytes,
        maxSize: upload.maxSize ?? getMaxMultipartBytes(getPlanLimits(principal.plan, services)),
        expiresAt: upload.expiresAt,
      },
      headers: { location: `/v1/uploads/${upload.id}` },
    }
  },
})

const listMultipartParts = contract({
  method: 'GET',
  path: '/v1/uploads/multipart/:uploadId',
  access: writeAccess,
  tag,
  summary: 'List the parts that have arrived',
  description:
    'After an interruption, send only the parts that are not listed. `complete` says whether the upload has been completed.',
  params: UploadParams,
  query: KeyQuery,
  reply: {
    status: 200,
    form: 'mirrored',
    schema: z.object({
      parts: z
        .array(UploadedPart)
        .describe('Parts in order of their numbers; empty when the upload is complete'),
      complete: z.boolean(),
    }),
  },
  errors: ['UPLOAD_NOT_FOUND'],
  handle: async ({ params, query, principal }, services) => {
    const upload = await findMultipartUpload({ ...params, ...query, principal }, services)
    const parts = await listUploadedParts(upload, services)
    return { data: { parts: parts?.map(toPartView) ?? [], complete: parts === undefined } }
  },
})

const errors = ['UPLOAD_NOT_FOUND', 'CONFLICT', 'FILE_TOO_LARGE', 'INSUFFICIENT_DISK_SPACE'] as const

const signPart = contract({
  method: 'GET',
  path: '/v1/uploads/multipart/:uploadId/:partNumber',
  access: writeAccess,
  tag,
  summary: 'Get the URL of a part',
  description: 'PUT the bytes of the part to this URL. Sending a part again replaces it.',
  params: PartParams,
  query: KeyQuery,
  reply: { status: 200, form: 'mirrored', schema: PartUrl },
  errors,
  handle: async ({ params, query, principal }, services) => {
    const { partNumber } = params
    const upload = await findMultipartUpload({ ...params, ...query, principal }, services)
    const urls = await signPartUrls(upload, [partNumber], services)
    return { data: toPartUrlView(urls.get(partNumber) ?? '') }
  },
})

const maxPartNumbers = 1000
const isPartNumber = (text: string) => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= partLimits.maxParts
const partNumbers = text('query')
  .refine((text) => {
    const numbers = text.split(',')
    return numbers.every(isPartNumber) && numbers.length <= maxPartNumbers
  }, `expected at most ${maxPartNumbers} numbers from 1 to ${partLimits.maxParts}, separated by commas, such as 1,2,3`)
  .transform((text) => [...new Set(text.split(',').map(Number))])

const signParts = contract({
  method: 'GET',
  path: '/v1/uploads/multipart/:uploadId/batch',
  access: writeAccess,
  tag,
  summary: 'Get the URLs of many parts',
  description: 'A request can get the URLs of up to 1000 parts. PUT the bytes of each part to its URL.',
  params: UploadParams,
  query: KeyQuery.extend({ partNumbers: partNumbers.describe('Part numbers, separated by commas') }),
  reply: {
    status: 200,
    form: 'mirrored',
    schema: z.object({
      presignedUrls: z.record(z.string(), z.url()).describe('URLs by part number'),
      expires: z.int().describe('Seconds until the URLs expire'),
      expiresAt: z.iso.datetime(),
    }),
  },
  errors,
  handle: async ({ params, query, principal }, services) => {
    const { partNumbers: numbers, key } = query
    const upload = await findMultipartUpload({ ...params, key, principal }, services)
    const presignedUrls = Object.fromEntries(await signPartUrls(upload, numbers, services))
    return { data: { presignedUrls, expires: partUrlLifetimeS, expiresAt: computeUrlExpiry() } }
  },
})

const completeMultipart = contract({
  method: 'POST',
  path: '/v1/uploads/multipart/:uploadId/complete',
  access: writeAccess,
  tag,
  summary: 'Complete a multipart upload',
  description: 'Completing an upload again is safe: the reply is the same.',
  params: UploadParams,
  query: KeyQuery,
  body: { accepts: ['json'], schema: CompleteBody },
  reply: { status: 200, form: 'mirrored', schema: CompletedUpload },
  errors: ['UPLOAD_NOT_FOUND', 'UPLOAD_INCOMPLETE', 'CONFLICT', 'FILE_TOO_LARGE', 'INVALID_REQUEST'],
  handle: async ({ params, query, body, principal }, services) => {
    const upload = await findMultipartUpload({ ...params, ...query, principal }, services)
    const { size, etag } = await completeMultipartUpload(upload, toParts(body), services)
    const { id: uploadId, key } = upload
    const location = `${services.config.PUBLIC_URL ?? ''}/v1/uploads/${uploadId}`
    return { data: { location, key, bucket: services.config.BUCKET_NAME, uploadId, size, etag } }
  },
})

const abortMultipart = contract({
  method: 'DELETE',
  path: '/v1/uploads/multipart/:uploadId',
  access: writeAccess,
  tag,
  summary: 'Abort a multipart upload',
  description: 'Deletes the parts that have arrived. URLs of the upload stop working.',
  params: UploadParams,
  query: KeyQuery,
  reply: { status: 200, schema: z.object({}) },
  errors: ['UPLOAD_NOT_FOUND', 'CONFLICT'],
  handle: async ({ params, query, principal }, services) => {
    await abortMultipartUpload(
      await findMultipartUpload({ ...params, ...query, principal }, services),
      services,
    )
    return { data: {} }
  },
})

export const multipartUploads: readonly AnyContract[] = [
  createMultipart,
  listMultipartParts,
  signPart,
  signParts,
  completeMultipart,
  abortMultipart,
]
