import { ask, type Job, jobStatus, Problem } from '../api.ts'
import { send } from '../sections/convert/upload-file.ts'
import { type Pages, Unreadable } from './local-pages.ts'

/** Pages drawn by the service, where the browser cannot or would have to read too much. */

/** As many pictures as a thumbnail task makes of a PDF. */
const mostPictures = 500
const pictureSide = 320
const waitS = 20

export interface Drawn {
  readonly pages: Pages
  /** A job that has the file, so that it need not be sent once more. */
  readonly jobId: string
}

/** @throws Unreadable, Problem */
export async function drawByService(
  file: File,
  password: string | undefined,
  onSent: (share: number) => void,
  signal: AbortSignal,
): Promise<Drawn> {
  const upload_id = await send({
    ...{ file, begun: undefined, onBegun: () => {}, signal },
    onProgress: (progress) => {
      if (progress.stage === 'uploading') onSent(progress.sentBytes / Math.max(1, progress.totalBytes))
    },
  })
  onSent(1)
  const options = {
    count: mostPictures,
    width: pictureSide,
    height: pictureSide,
    ...(password && { password }),
  }
  const tasks = {
    file: { operation: 'import/upload', upload_id },
    pictures: { operation: 'thumbnail', input: 'file', output_format: 'jpg', options },
    out: { operation: 'export/url', input: 'pictures' },
  }
  let job = await ask<Job>('/v1/jobs', { method: 'POST', body: { tasks } })
  while (['pending', 'queued', 'processing'].includes(job.status))
    job = (await jobStatus(job.jobId, signal, waitS)).data
  const { result, error } = job
  if (!result) {
    if (error?.code === 'PDF_ENCRYPTED') throw new Unreadable('locked')
    throw new Problem(error?.code ?? 'UNREACHABLE', error?.message ?? '')
  }
  const count = result.details?.['pages']
  const pages: Pages = {
    count: typeof count === 'number' ? count : result.files.length,
    draw: async (page) => {
      const url = result.files[page - 1]?.downloadUrl
      if (!url) throw new Unreadable('unreadable')
      return url
    },
    close: () => {},
  }
  return { pages, jobId: job.jobId }
}
