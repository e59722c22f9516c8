import { callApi, type Job } from '../../api.ts'
import { uploadFile } from './upload-file.ts'
import type { ConversionProgress } from './watch-job.ts'
import words from './words/en.ts'

/** Uploads the files one by one, then merges them. */
export async function createCombinedJob(
  parts: readonly File[],
  {
    options,
    onProgress,
    signal,
  }: {
    readonly options: Readonly<Record<string, unknown>>
    readonly onProgress: (progress: ConversionProgress) => void
    readonly signal: AbortSignal
  },
): Promise<Job> {
  const totalBytes = parts.reduce((sum, { size }) => sum + size, 0)
  const uploads: string[] = []
  let doneBytes = 0
  for (const file of parts) {
    const uploadId = await uploadFile({
      file,
      multipartUpload: undefined,
      onMultipartStart: () => {},
      onProgress: (progress) =>
        onProgress(
          progress.stage === 'uploading'
            ? { ...progress, sentBytes: doneBytes + progress.sentBytes, totalBytes, etaMs: undefined }
            : progress,
        ),
      signal,
    })
    uploads.push(uploadId)
    doneBytes += file.size
  }
  onProgress({ stage: 'starting' })
  const imports = uploads.map(
    (upload_id, at) => [`image-${at + 1}`, { operation: 'import/upload', upload_id }] as const,
  )
  const tasks = {
    ...Object.fromEntries(imports),
    result: {
      operation: 'merge',
      input: imports.map(([name]) => name),
      output_format: 'pdf',
      filename: words.combinedFile,
      options,
    },
    out: { operation: 'export/url', input: 'result' },
  }
  return callApi<Job>('/v1/jobs', { method: 'POST', body: { tasks } })
}
