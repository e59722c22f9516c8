import * as z from 'zod'
import { readAccess } from '../../lib/access/principal.ts'
import { requireOwnUpload } from '../../lib/conversion/source.ts'
import { contract } from '../../lib/http/contract.ts'
import { isTerminalStatus, JobError } from '../../lib/jobs/job.ts'

const UploadView = z.object({
  uploadId: z.string(),
  status: z
    .enum(['pending', 'ready', 'failed'])
    .describe('`ready` when the whole file is there, `failed` when it could not be fetched'),
  filename: z.string(),
  size: z.int().nullable().describe('Bytes, as announced; null where any size is awaited'),
  mimeType: z.string().describe('As announced, or as the content of a fetched file says'),
  format: z.string().nullable().describe('Of a file that was fetched'),
  sha256: z.string().nullable().describe('Of a file that was fetched; lower-case hex'),
  importJobId: z.string().nullable().describe('The job that fetches it'),
  error: JobError.nullable().describe('Why it could not be fetched'),
  jobId: z.string().nullable().describe('The job that took the upload; it serves no second one'),
  expiresAt: z.iso.datetime(),
})

export const getUpload = contract({
  method: 'GET',
  path: '/v1/uploads/:uploadId',
  access: readAccess,
  tag: 'Uploads',
  summary: 'See whether an upload is there',
  params: z.object({ uploadId: z.string().describe('Id of the upload, `upl_…`') }),
  reply: { status: 200, schema: UploadView },
  errors: ['UPLOAD_NOT_FOUND'],
  handle: async ({ params, principal }, services) => {
    const upload = await requireOwnUpload(params.uploadId, 'uploadId', principal.ownerId, services)
    const { file, importJobId } = upload
    const job = !file && importJobId !== undefined ? await services.jobs.store.getJob(importJobId) : undefined
    const hasFailed = job !== undefined && isTerminalStatus(job.status)
    const isThere = importJobId
      ? file !== undefined
      : upload.jobId !== undefined || (await services.files.head(upload.key)) !== undefined
    return {
      data: {
        uploadId: upload.id,
        status: isThere ? ('ready' as const) : hasFailed ? ('failed' as const) : ('pending' as const),
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
