import { callApi, fetchJobStatus, type Job, Problem } from '../api.ts'
import { uploadFile } from '../sections/convert/upload-file.ts'
import { LocalPdfError, type PdfPages } from './local-pages.ts'

/** Draws pages with the service if the browser cannot draw them or the file is too large. */

/** Maximum number of images that a thumbnail task produces from a PDF. */
const maxThumbnails = 500
const thumbnailPx = 320
const waitS = 20

interface ServicePages {
  readonly pages: PdfPages
  /** The job that stores the file, so that it need not be uploaded again. */
  readonly jobId: string
}

/** @throws LocalPdfError, Problem */
export async function drawOnServer(
  file: File,
  password: string | undefined,
  onSent: (share: number) => void,
  signal: AbortSignal,
): Promise<ServicePages> {
  const upload_id = await uploadFile({
    file,
    multipartUpload: undefined,
    onMultipartStart: () => {},
    signal,
    onProgress: (progress) => {
      if (progress.stage === 'uploading') onSent(progress.sentBytes / Math.max(1, progress.totalBytes))
    },
  })
  onSent(1)
  const options = {
    count: maxThumbnails,
    width: thumbnailPx,
    height: thumbnailPx,
    ...(password && { password }),
  }
  const tasks = {
    file: { operation: 'import/upload', upload_id },
    images: { operation: 'thumbnail', input: 'file', output_format: 'jpg', options },
    out: { operation: 'export/url', input: 'images' },
  }
  let job = await callApi<Job>('/v1/jobs', { method: 'POST', body: { tasks } })
  while (['pending', 'queued', 'processing'].includes(job.status))
    job = (await fetchJobStatus(job.jobId, signal, waitS)).data
  const { result, error } = job
  if (!result) {
    if (error?.code === 'PDF_ENCRYPTED') throw new LocalPdfError('locked')
    throw new Problem(error?.code ?? 'UNREACHABLE', error?.message ?? '')
  }
  const count = result.details?.['pages']
  const pages: PdfPages = {
    count: typeof count === 'number' ? count : result.files.length,
    draw: async (page) => {
      const url = result.files[page - 1]?.downloadUrl
      if (!url) throw new LocalPdfError('unreadable')
      return url
    },
    close: () => {},
  }
  return { pages, jobId: job.jobId }
}
