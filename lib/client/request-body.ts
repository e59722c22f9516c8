import type { Job } from './api-types.ts'
import type { Transport } from './transport.ts'
import { type FileData, fileNameOf, toBlob, type Uploading, upload } from './upload.ts'
import type { Waiting } from './wait.ts'

/** A file: its bytes, the address that the service fetches it from, an upload, or that of an earlier job. */
export type Source = FileData | URL | { readonly uploadId: string } | JobFileReference

/** Its source, or the file of one of its tasks: it is not sent again. */
export interface JobFileReference {
  readonly jobId: string
  readonly task?: string
}
export type Options = Readonly<Record<string, unknown>>

/** What goes with a conversion beside the wish itself. */
export interface How extends Waiting, Uploading {
  readonly tag?: string | undefined
  readonly webhookUrl?: string | undefined
  readonly engine?: string | undefined
  /** Stores the result elsewhere as well: `s3`, `blobstore`, `gcs` or `sftp`. */
  readonly export?: { readonly method: string; readonly path: string; readonly config: Options } | undefined
  /** Further files that it takes: the picture of a watermark. */
  readonly more?: readonly Source[] | undefined
  /** Told once the service has taken the job. */
  readonly onJob?: ((job: Job) => void) | undefined
  /** Told of an upload of its own, before the job that takes it. */
  readonly onUpload?: ((uploadId: string) => void) | undefined
  /** Makes that a repetition, even by another process, is not a second job. */
  readonly idempotencyKey?: string | undefined
}

/** Bytes up to which files go in the form itself: functions of a cloud take no more. */
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

/** Blobs for a form when all are small, and otherwise where each of them is. */
export async function prepareFiles(
  transport: Transport,
  sources: readonly Source[],
  options: How,
  names: readonly (string | undefined)[],
): Promise<{ readonly blobs: readonly NamedBlob[] } | { readonly references: readonly FileReference[] }> {
  const blobs = sources.flatMap((source, at) =>
    isReference(source) || source instanceof ReadableStream
      ? []
      : [{ blob: toBlob(source), name: fileNameOf(source, names[at]) }],
  )
  const bytes = blobs.reduce((sum, { blob }) => sum + blob.size, 0)
  if (blobs.length === sources.length && bytes <= maxFormBytes && !options.resume) return { blobs }
  const references: FileReference[] = []
  for (const [at, source] of sources.entries()) {
    if (source instanceof URL) references.push({ url: source.href })
    else if ('uploadId' in source) references.push({ uploadId: source.uploadId })
    else if ('jobId' in source) references.push({ job: source })
    else {
      const uploadId = await upload(transport, source, {
        ...options,
        filename: fileNameOf(source, names[at]),
      })
      options.onUpload?.(uploadId)
      references.push({ uploadId })
    }
  }
  return { references }
}

export const convertFields = ([first, ...more]: readonly FileReference[]): Options => ({
  ...{ uploadId: first?.uploadId, fileUrl: first?.url },
  ...{ sourceJobId: first?.job?.jobId, sourceTask: first?.job?.task },
  ...(more.length > 0 && { additionalUploadIds: more.map(({ uploadId }) => uploadId) }),
})

export const mergeFields = (references: readonly FileReference[]): Options => {
  const [uploadIds, fileUrls] = [
    references.flatMap((one) => one.uploadId ?? []),
    references.flatMap((one) => one.url ?? []),
  ]
  return { ...(uploadIds.length > 0 && { uploadIds }), ...(fileUrls.length > 0 && { fileUrls }) }
}

export const commonFields = ({ tag, webhookUrl, engine, filename, export: exportTarget }: How): Options => ({
  ...{ tag, webhookUrl, engine, filename },
  ...(exportTarget && {
    ...{
      exportMethod: exportTarget.method,
      exportPath: exportTarget.path,
      exportConfig: exportTarget.config,
    },
  }),
})

/** @param otherName name of the parts after the first */
export function createForm(blobs: readonly NamedBlob[], fields: Options, otherName = 'file'): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  for (const [at, { blob, name }] of blobs.entries()) form.append(at === 0 ? 'file' : otherName, blob, name)
  return form
}
