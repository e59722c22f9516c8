import * as z from 'zod'
import { contract } from '../../lib/http/contract.ts'
import { isTerminalStatus, JobError } from '../../lib/model/job.ts'
import { readAccess } from '../../lib/model/principal.ts'
import { requireOwnUpload } from '../../lib/uploads/own-upload.ts'
import { component } from '../../lib/validation/component.ts'
import { text } from '../../lib/validation/maxima.ts'

const UploadView = component(
  'Upload',
  z.object({
    uploadId: z.string(),
    status: z
      .enum(['pending', 'ready', 'failed'])
      .describe('`ready` when the whole file has arrived, `failed` if it could not be fetched'),
    filename: z.string(),
    size: z.int().nullable().describe('Declared size in bytes; null if none was declared'),
    mimeType: z.string().describe('MIME type as declared, or as detected for a fetched file'),
    format: z.string().nullable().describe('Detected format of a fetched file'),
    sha256: z.string().nullable().describe('SHA-256 of a fetched file, in lower-case hex'),
    importJobId: z.string().nullable().describe('Job that fetches the file'),
    error: JobError.nullable().describe('Why the file could not be fetched'),
    jobId: z.string().nullable().describe('Job that uses the upload; an upload can be used by one job'),
    expiresAt: z.iso.datetime(),
  }),
)

export const getUpload = contract({
  method: 'GET',
  path: '/v1/uploads/:uploadId',
  access: readAccess,
  tag: 'Uploads',
  summary: 'Get the status of an upload',
  description:
    'A public key (`ck_`) only sees uploads that it started itself. Secret keys, access tokens and sessions see all uploads of the account.',
  params: z.object({ uploadId: text('id').describe('Id of the upload, `upl_…`') }),
  reply: { status: 200, schema: UploadView },
  errors: ['UPLOAD_NOT_FOUND'],
  handle: async ({ params, principal }, services) => {
    const upload = await requireOwnUpload(params.uploadId, 'uploadId', principal, services)
    const { file, importJobId } = upload
    const job = !file && importJobId !== undefined ? await services.jobs.store.getJob(importJobId) : undefined
    const hasFailed = job !== undefined && isTerminalStatus(job.status)
    const isReady = importJobId
      ? file !== undefined
      : upload.jobId !== undefined || (await services.files.head(upload.key)) !== undefined
    return {
      data: {
        uploadId: upload.id,
        status: isReady ? ('ready' as const) : hasFailed ? ('failed' as const) : ('pending' as const),
        filename: upload.filename,
        size: upload.size ?? null,
        mimeType: file?.mimeType ?? upload.contentType,
        format: file?.format ?? null,
        sha256: file?.sha256 ?? null,
        importJobId: importJobId ?? null,
        error: job?.error ?? null,
        jobId: upload.jobId ?? null,
        expiresAt: upload.expiresAt,
      },
    }
  },
})
