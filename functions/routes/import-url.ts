import * as z from 'zod'
import { getPlanLimits } from '../../lib/accounts/plan-limits.ts'
import { startJob } from '../../lib/conversion/start-job.ts'
import { contract } from '../../lib/http/contract.ts'
import { newId } from '../../lib/ids.ts'
import { writeAccess } from '../../lib/model/principal.ts'
import { sanitizeFileName } from '../../lib/names/file-name.ts'
import { importUrlOperation as operation } from '../../lib/tasks/import-url.ts'
import { createUploadKey, uploadLifetimeS } from '../../lib/uploads/uploads.ts'
import { defined } from '../../lib/validation/defined.ts'

const { max_size, ...fields } = operation.fields.shape

export const importUrl = contract({
  method: 'POST',
  path: '/v1/import/url',
  access: writeAccess,
  tag: 'Uploads',
  summary: 'Fetch a file from a URL',
  description:
    'A separate job fetches the file into an upload. When the status of GET /v1/uploads/{uploadId} is `ready`, send the `uploadId` to POST /v1/convert. To fetch and convert a file in one request, send `fileUrl` to POST /v1/convert.',
  body: { accepts: ['json', 'form'], schema: z.strictObject({ ...fields, maxSize: max_size }) },
  reply: {
    status: 202,
    headers: ['location', 'retry-after'],
    schema: z.object({
      uploadId: z.string(),
      jobId: z.string().describe('Job that fetches the file'),
      status: z.literal('pending'),
      filename: z.string().nullable().describe('File name; null until it is known'),
    }),
  },
  idempotent: true,
  createsWork: true,
  errors: ['INVALID_INPUT', 'INSUFFICIENT_DISK_SPACE', 'URL_NOT_ALLOWED'],
  handle: async ({ body, principal, requestId, newJobId }, services) => {
    const { maxSize, ...given } = body
    const id = newId('upl')
    const { retentionHours } = getPlanLimits(principal.plan, services)
    const now = Date.now()
    const filename = body.filename === undefined ? undefined : sanitizeFileName(body.filename)
    const upload = {
      id,
      owner: principal.ownerId,
      keyId: principal.keyId ?? null,
      key: createUploadKey('uploads', id, retentionHours),
      filename: filename ?? 'file',
      contentType: 'application/octet-stream',
      createdAt: new Date(now).toISOString(),
      // One lifetime for fetching the file, and another lifetime for using it.
      expiresAt: new Date(now + 2 * uploadLifetimeS * 1000).toISOString(),
    }
    const name = 'import-file'
    const { job } = await startJob(
      {
        owner: principal.ownerId,
        keyId: principal.keyId,
        requestId,
        jobId: newJobId(),
        tasks: [
          {
            name,
            operation,
            input: [],
            continueOnError: false,
            fields: { ...given, ...defined({ max_size: maxSize }) },
            requestField: (field) => field,
          },
        ],
        imports: new Map([[name, { into: upload }]]),
      },
      services,
    )
    return {
      data: { uploadId: id, jobId: job.id, status: 'pending' as const, filename: filename ?? null },
      headers: { location: `/v1/uploads/${id}`, 'retry-after': '2' },
    }
  },
})
