import * as z from 'zod'
import { ownUpload } from '../../lib/conversion/source.ts'
import { contract } from '../../lib/http/contract.ts'

const UploadView = z.object({
  uploadId: z.string(),
  status: z.enum(['pending', 'ready']).describe('`ready` when the whole file is there'),
  filename: z.string(),
  size: z.int().nullable().describe('Bytes, as announced; null where any size is awaited'),
  mimeType: z.string().describe('As announced'),
  jobId: z.string().nullable().describe('The job that took the upload; it serves no second one'),
  expiresAt: z.iso.datetime(),
})

export const getUpload = contract({
  method: 'GET',
  path: '/v1/uploads/:uploadId',
  tag: 'Uploads',
  summary: 'See whether an upload is there',
  params: z.object({ uploadId: z.string().describe('Id of the upload, `upl_…`') }),
  reply: { status: 200, schema: UploadView },
  errors: ['UPLOAD_NOT_FOUND'],
  handle: async ({ params, owner }, services) => {
    const upload = await ownUpload(params.uploadId, 'uploadId', owner.id, services)
    const isThere = upload.jobId !== undefined || (await services.files.head(upload.key)) !== undefined
    return {
      data: {
        uploadId: upload.id,
        status: isThere ? ('ready' as const) : ('pending' as const),
        filename: upload.filename,
        size: upload.size ?? null,
        mimeType: upload.contentType,
        jobId: upload.jobId ?? null,
        expiresAt: upload.expiresAt,
      },
    }
  },
})
