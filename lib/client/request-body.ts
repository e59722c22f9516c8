import type { Job } from './api-types.ts'
import type { Transport } from './transport.ts'
import { type FileData, getFileName, toBlob, type UploadOptions, uploadToStorage } from './upload.ts'
import type { WaitOptions } from './wait.ts'

/** A file: its contents, a URL that the service downloads, an upload, or a file of an earlier job. */
export type Source = FileData | URL | { readonly uploadId: string } | JobFileReference

/** The source of an earlier job, or the output of one of its tasks. The file is not uploaded again. */
interface JobFileReference {
  readonly jobId: string
  readonly task?: string
}
export type Options = Readonly<Record<string, unknown>>

/** Settings of a request, in addition to the files, the target and the conversion options. */
export interface RequestOptions extends WaitOptions, UploadOptions {
  readonly tag?: string | undefined
  readonly webhookUrl?: string | undefined
  readonly engine?: string | undefined
  /** Also exports the result with the method `s3`, `blobstore`, `gcs` or `sftp`. */
  readonly export?: { readonly method: string; readonly path: string; readonly config: Options } | undefined
  /** Additional files, such as the image of a watermark. */
  readonly more?: readonly Source[] | undefined
  /** Called once the service has accepted the job. */
  readonly onJob?: ((job: Job) => void) | undefined
  /** Called when a separate upload has finished, before the job that uses it is created. */
  readonly onUpload?: ((uploadId: string) => void) | undefined
  /** Prevents a repeated request, even from another process, from creating a second job. */
  readonly idempotencyKey?: string | undefined
}

/** Up to this total size, files are sent in the form itself; cloud functions accept no larger requests. */
const maxFormBytes = 4 * 1024 ** 2

interface NamedBlob {
  readonly blob: Blob
  readonly name: string
}

interface FileReference {
  readonly uploadId?: string
  readonly url?: string
  readonly job?: JobFileReference
}

const isReference = (source: Source): source is URL | { readonly uploadId: string } | JobFileReference =>
  source instanceof URL || 'uploadId' in source || 'jobId' in source

/** Returns blobs for a form if the files are small in total; otherwise uploads them and returns references. */
export async function prepareFiles(
  transport: Transport,
  sources: readonly Source[],
  options: RequestOptions,
  names: readonly (string | undefined)[],
): Promise<{ readonly blobs: readonly NamedBlob[] } | { readonly references: readonly FileReference[] }> {
  const blobs = sources.flatMap((source, at) =>
    isReference(source) || source instanceof ReadableStream
      ? []
      : [{ blob: toBlob(source), name: getFileName(source, names[at]) }],
  )
  const bytes = blobs.reduce((sum, { blob }) => sum + blob.size, 0)
  if (blobs.length === sources.length && bytes <= maxFormBytes && !options.resume) return { blobs }
  const references: FileReference[] = []
  for (const [at, source] of sources.entries()) {
    if (source instanceof URL) references.push({ url: source.href })
    else if ('uploadId' in source) references.push({ uploadId: source.uploadId })
    else if ('jobId' in source) references.push({ job: source })
    else {
      const uploadId = await uploadToStorage(transport, source, {
        ...options,
        filename: getFileName(source, names[at]),
      })
      options.onUpload?.(uploadId)
      references.push({ uploadId })
    }
  }
  return { references }
}

/**
 * Checks that the API can take the files in this order.
 * @throws TypeError for a URL or a file of a job where the API does not accept it.
 */
export function requireSupportedSources(
  isMerge: boolean,
  files: readonly Source[],
  moreFiles: readonly Source[],
): void {
  const isJobFile = (source: Source) => !(source instanceof URL) && 'jobId' in source
  if (moreFiles.some((source) => source instanceof URL || isJobFile(source)))
    throw new TypeError('more: expected the contents of files or uploads, got a URL or a file of a job.')
  if (!isMerge) return
  if (files.some(isJobFile))
    throw new TypeError('files: a merge accepts contents, uploads and URLs, but no files of jobs.')
  const firstUrl = files.findIndex((source) => source instanceof URL)
  if (firstUrl >= 0 && files.slice(firstUrl).some((source) => !(source instanceof URL)))
    throw new TypeError(
      'files: a merge puts the files of URLs after all others. Put the URLs last, or download their files first.',
    )
}

export const createConvertFields = ([
  firstReference,
  ...moreReferences
]: readonly FileReference[]): Options => ({
  uploadId: firstReference?.uploadId,
  fileUrl: firstReference?.url,
  sourceJobId: firstReference?.job?.jobId,
  sourceTask: firstReference?.job?.task,
  ...(moreReferences.length > 0 && { additionalUploadIds: moreReferences.map(({ uploadId }) => uploadId) }),
})

export const createMergeFields = (references: readonly FileReference[]): Options => {
  const [uploadIds, fileUrls] = [
    references.flatMap((reference) => reference.uploadId ?? []),
    references.flatMap((reference) => reference.url ?? []),
  ]
  return { ...(uploadIds.length > 0 && { uploadIds }), ...(fileUrls.length > 0 && { fileUrls }) }
}

export const createCommonFields = ({
  tag,
  webhookUrl,
  engine,
  filename,
  export: exportTarget,
}: RequestOptions): Options => ({
  tag,
  webhookUrl,
  engine,
  filename,
  ...(exportTarget && {
    exportMethod: exportTarget.method,
    exportPath: exportTarget.path,
    exportConfig: exportTarget.config,
  }),
})

/** Creates a form. @param otherName form field of all files but the first */
export function createForm(blobs: readonly NamedBlob[], fields: Options, otherName = 'file'): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  for (const [at, { blob, name }] of blobs.entries()) form.append(at === 0 ? 'file' : otherName, blob, name)
  return form
}
