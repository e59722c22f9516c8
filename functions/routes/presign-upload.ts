import * as z from 'zod'
import { getPlanLimits } from '../../lib/accounts/plan-limits.ts'
import { AppError } from '../../lib/errors.ts'
import { declaredSize } from '../../lib/http/body/content-length.ts'
import { contentType } from '../../lib/http/body/content-type.ts'
import { contract } from '../../lib/http/contract.ts'
import { newId } from '../../lib/ids.ts'
import { requireDiskSpace } from '../../lib/io/disk-space.ts'
import { writeAccess } from '../../lib/model/principal.ts'
import { sanitizeFileName } from '../../lib/names/file-name.ts'
import { createSizeLimitError } from '../../lib/uploads/size-errors.ts'
import { createUploadKey, maxSingleUploadBytes, uploadLifetimeS } from '../../lib/uploads/uploads.ts'
import { component } from '../../lib/validation/component.ts'

const createTooLargeForOneRequestError = (size: number) =>
  new AppError(
    'FILE_TOO_LARGE',
    `size: expected at most ${maxSingleUploadBytes / 1024 ** 3} GiB for an upload in one request. Use POST /v1/uploads/multipart for larger files.`,
    { field: 'size', maxBytes: maxSingleUploadBytes, size },
  )

const Presigned = component(
  'PresignedUpload',
  z.object({
    uploadId: z.string(),
    key: z.string(),
    method: z.enum(['PUT', 'POST']),
    url: z.url(),
    headers: z.record(z.string(), z.string()).optional().describe('Send exactly these headers with the PUT'),
    fields: z
      .record(z.string(), z.string())
      .optional()
      .describe('Form fields for the POST; add `file` as the last field'),
    expiresAt: z.iso.datetime(),
    maxSize: z.int(),
  }),
)

export const presignUpload = contract({
  method: 'POST',
  path: '/v1/uploads/presign',
  access: writeAccess,
  tag: 'Uploads',
  summary: 'Get a presigned upload URL',
  description:
    'Upload the file directly to the storage, with the declared type and size. Then send the `uploadId` to POST /v1/convert. An upload can be used for one conversion; anything sent to its URL after that is deleted.',
  body: {
    accepts: ['json', 'form'],
    schema: z.strictObject({
      filename: z.string().min(1).max(1024),
      contentType,
      size: declaredSize,
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/i, 'expected 64 hex digits')
        .optional()
        .describe('SHA-256 as hex; the storage rejects other content'),
      method: z.enum(['PUT', 'POST']).default('PUT'),
    }),
  },
  reply: { status: 201, schema: Presigned },
  idempotent: true,
  errors: ['INVALID_INPUT', 'FILE_TOO_LARGE', 'INSUFFICIENT_DISK_SPACE'],
  handle: async ({ body, principal }, services) => {
    await requireDiskSpace(services.config)
    const planLimits = getPlanLimits(principal.plan, services)
    const maxSize = Math.min(maxSingleUploadBytes, planLimits.maxFileBytes)
    if (body.size > planLimits.maxFileBytes) throw createSizeLimitError(planLimits.maxFileBytes, body.size)
    if (body.size > maxSingleUploadBytes) throw createTooLargeForOneRequestError(body.size)
    if (body.size === 0) {
      throw new AppError('INVALID_INPUT', 'size: expected a file that is not empty, got 0 bytes.', {
        field: 'size',
      })
    }
    const now = new Date()
    const id = newId('upl')
    const expiresAt = new Date(now.getTime() + uploadLifetimeS * 1000).toISOString()
    const key = createUploadKey('uploads', id, planLimits.retentionHours)
    const target = { contentType: body.contentType, size: body.size, sha256: body.sha256 }
    const presigned = await services.files.presignUpload(body.method, key, target, uploadLifetimeS)
    await services.uploads.create({
      id,
      owner: principal.ownerId,
      keyId: principal.keyId ?? null,
      key,
      filename: sanitizeFileName(body.filename),
      contentType: body.contentType,
      size: body.size,
      createdAt: now.toISOString(),
      // One lifetime for uploading the file, and another lifetime for using it.
      expiresAt: new Date(now.getTime() + 2 * uploadLifetimeS * 1000).toISOString(),
    })
    return { data: { uploadId: id, key, method: body.method, ...presigned, expiresAt, maxSize } }
  },
})
