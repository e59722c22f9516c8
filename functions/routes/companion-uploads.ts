import * as z from 'zod'
import { getPlanLimits } from '../../lib/accounts/plan-limits.ts'
import { declaredSize } from '../../lib/http/body/content-length.ts'
import { contentType } from '../../lib/http/body/content-type.ts'
import { type AnyContract, contract } from '../../lib/http/contract.ts'
import { newId } from '../../lib/ids.ts'
import { requireDiskSpace } from '../../lib/io/disk-space.ts'
import { writeAccess } from '../../lib/model/principal.ts'
import { sanitizeFileName } from '../../lib/names/file-name.ts'
import {
  abortMultipartUpload,
  completeMultipartUpload,
  findMultipartUpload,
  getMaxMultipartBytes,
  listUploadedParts,
  signPartUrls,
  startMultipartUpload,
} from '../../lib/uploads/multipart-uploads.ts'
import { createUploadKey, maxSingleUploadBytes, uploadLifetimeS } from '../../lib/uploads/uploads.ts'
import { createOptionsSchema, text } from '../../lib/validation/maxima.ts'
import {
  CompleteBody,
  KeyQuery,
  PartParams,
  PartUrl,
  toParts,
  toPartUrlView,
  toPartView,
  UploadedPart,
  UploadParams,
} from './multipart-uploads.ts'

/**
 * The upload endpoints in the format of Uppy's Companion (https://uppy.io/docs/aws-s3/): replies have no envelope, and
 * requests need no identity, because Uppy sends none. The unguessable key of the upload is sufficient.
 */

const tag = 'Uploads with Uppy'
const RequiredKeyQuery = z.object({
  key: text('name').describe('`key` from the reply that started the upload; it must match the upload'),
})
/** The browser sends the content type; any value is accepted, because it has no effect. */
const type = contentType.catch('application/octet-stream')
const notFoundErrors = ['UPLOAD_NOT_FOUND'] as const

const params = contract({
  method: 'GET',
  path: '/v1/uploads/s3/params',
  access: writeAccess,
  tag,
  summary: 'Get the form fields for an upload',
  description: '`key` ends with the `uploadId` of the file.',
  query: z.object({ filename: z.string().min(1).max(1024), type }),
  reply: {
    status: 200,
    form: 'raw',
    schema: z.object({
      method: z.literal('POST'),
      url: z.url(),
      fields: z.record(z.string(), z.string()),
      expires: z.int().describe('Seconds until the URL expires'),
    }),
  },
  errors: ['INSUFFICIENT_DISK_SPACE'],
  handle: async ({ query, principal }, services) => {
    const { config, files, uploads } = services
    await requireDiskSpace(config)
    const planLimits = getPlanLimits(principal.plan, services)
    const id = newId('upl')
    const key = createUploadKey('uploads', id, planLimits.retentionHours)
    const maxSize = Math.min(maxSingleUploadBytes, getMaxMultipartBytes(planLimits))
    const { url, fields } = await files.presignForm(key, { maxSize }, uploadLifetimeS)
    const now = Date.now()
    await uploads.create({
      id,
      owner: principal.ownerId,
      keyId: principal.keyId ?? null,
      key,
      maxSize,
      contentType: query.type,
      open: true,
      filename: sanitizeFileName(query.filename),
      createdAt: new Date(now).toISOString(),
      // One lifetime for uploading the file, and another lifetime for using it.
      expiresAt: new Date(now + 2 * uploadLifetimeS * 1000).toISOString(),
    })
    return { data: { method: 'POST' as const, url, fields, expires: uploadLifetimeS } }
  },
})

const create = contract({
  method: 'POST',
  path: '/v1/uploads/s3/multipart',
  access: writeAccess,
  tag,
  summary: 'Start a multipart upload',
  description:
    'Used by Uppy with `new AwsS3({ companionEndpoint: "…/v1/uploads", shouldUseMultipart: true })`. `key` ends with the `uploadId` of the file; either of them can be sent to POST /v1/convert.',
  body: {
    accepts: ['json'],
    schema: z.object({
      filename: z.string().min(1).max(1024),
      type,
      size: declaredSize.optional(),
      metadata: createOptionsSchema().nullish().describe('Accepted but ignored'),
    }),
  },
  reply: {
    status: 200,
    form: 'raw',
    schema: z.object({ key: z.string(), uploadId: z.string() }),
  },
  errors: ['FILE_TOO_LARGE', 'INSUFFICIENT_DISK_SPACE'],
  handle: async ({ body, principal }, services) => {
    const { filename, type: contentType, size } = body
    const upload = await startMultipartUpload(
      { principal, filename, contentType, size, open: true },
      services,
    )
    return { data: { key: upload.key, uploadId: upload.id } }
  },
})

const list = contract({
  method: 'GET',
  path: '/v1/uploads/s3/multipart/:uploadId',
  access: writeAccess,
  tag,
  summary: 'List the parts that have arrived',
  description: 'Uppy calls this endpoint to resume an upload. The reply is the list of parts itself.',
  params: UploadParams,
  query: RequiredKeyQuery,
  reply: { status: 200, form: 'raw', schema: z.array(UploadedPart) },
  errors: notFoundErrors,
  handle: async ({ params: { uploadId }, query: { key }, principal }, services) => {
    const upload = await findMultipartUpload({ uploadId, key, principal }, services)
    return { data: ((await listUploadedParts(upload, services)) ?? []).map(toPartView) }
  },
})

const sign = contract({
  method: 'GET',
  path: '/v1/uploads/s3/multipart/:uploadId/:partNumber',
  access: writeAccess,
  tag,
  summary: 'Get the URL of a part',
  description: 'PUT the bytes of the part to this URL. Sending a part again replaces it.',
  params: PartParams,
  query: RequiredKeyQuery,
  reply: { status: 200, form: 'raw', schema: PartUrl },
  errors: ['UPLOAD_NOT_FOUND', 'CONFLICT', 'FILE_TOO_LARGE', 'INSUFFICIENT_DISK_SPACE'],
  handle: async ({ params: { uploadId, partNumber }, query: { key }, principal }, services) => {
    const upload = await findMultipartUpload({ uploadId, key, principal }, services)
    return { data: toPartUrlView((await signPartUrls(upload, [partNumber], services)).get(partNumber) ?? '') }
  },
})

const complete = contract({
  method: 'POST',
  path: '/v1/uploads/s3/multipart/:uploadId/complete',
  access: writeAccess,
  tag,
  summary: 'Complete a multipart upload',
  description: 'Joins the parts that the body lists. `key` ends with the `uploadId` of the file.',
  params: UploadParams,
  query: RequiredKeyQuery,
  body: { accepts: ['json'], schema: CompleteBody },
  reply: {
    status: 200,
    form: 'raw',
    schema: z.object({ location: z.string(), key: z.string(), bucket: z.string() }),
  },
  errors: ['UPLOAD_NOT_FOUND', 'UPLOAD_INCOMPLETE', 'CONFLICT', 'FILE_TOO_LARGE'],
  handle: async ({ params: { uploadId }, query: { key }, body, principal }, services) => {
    const upload = await findMultipartUpload({ uploadId, key, principal }, services)
    await completeMultipartUpload(upload, toParts(body), services)
    const { PUBLIC_URL = '', BUCKET_NAME: bucket } = services.config
    return { data: { location: `${PUBLIC_URL}/v1/uploads/${uploadId}`, key, bucket } }
  },
})

const abort = contract({
  method: 'DELETE',
  path: '/v1/uploads/s3/multipart/:uploadId',
  access: writeAccess,
  tag,
  summary: 'Abort a multipart upload',
  description: 'Deletes the parts that have arrived.',
  params: UploadParams,
  query: KeyQuery,
  reply: { status: 200, form: 'raw', schema: z.object({}) },
  errors: ['UPLOAD_NOT_FOUND', 'CONFLICT'],
  handle: async ({ params: { uploadId }, query: { key }, principal }, services) => {
    await abortMultipartUpload(await findMultipartUpload({ uploadId, key, principal }, services), services)
    return { data: {} }
  },
})

export const companionUploads: readonly AnyContract[] = [params, create, list, sign, complete, abort]
