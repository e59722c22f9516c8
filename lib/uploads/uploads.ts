import * as z from 'zod'
import type { Table, TransactionWrite } from '../aws/table.ts'
import { StoredFile } from '../model/job.ts'
import { uploadRetentionDays } from '../resources/storage.ts'
import { defined } from '../validation/defined.ts'

/** A file that a client uploads with a presigned URL. */
export const UploadRecord = z.object({
  id: z.string(),
  owner: z.string(),
  /**
   * API key or OAuth client that began the upload; null if the request had neither. Missing in records of earlier
   * versions.
   */
  keyId: z.string().nullable().optional(),
  key: z.string(),
  filename: z.string(),
  contentType: z.string(),
  /** Declared size in bytes; undefined for a form upload of any size up to `maxSize`. */
  size: z.int().optional(),
  maxSize: z.int().optional(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** Id of the multipart upload in the storage, if the file is sent in parts. */
  partsId: z.string().optional(),
  /** Set for an anonymous upload: anyone who knows the id may use it. */
  open: z.literal(true).optional(),
  /** The file that the job `importJobId` fetched for this upload from a URL or store. */
  file: StoredFile.optional(),
  importJobId: z.string().optional(),
  /** Id of the job that uses the upload and deletes it; an upload belongs to one job only. */
  jobId: z.string().optional(),
  /** Upload time of the file that the job took. */
  arrivedAt: z.iso.datetime().optional(),
  /** Number of the task that waits for the upload. */
  task: z.int().optional(),
})
export type UploadRecord = z.infer<typeof UploadRecord>
/** A new upload; its record always says who began it. */
export type NewUpload = UploadRecord & Pick<Required<UploadRecord>, 'keyId'>

const getRecordKey = (id: string) => ({ pk: `UPLOAD#${id}`, sk: 'UPLOAD' })
const computeTtl = ({ expiresAt }: UploadRecord) => Math.floor(Date.parse(expiresAt) / 1000)

/** Maximum size in bytes of one PUT or form upload (AWS's limit); larger files need a multipart upload. */
export const maxSingleUploadBytes = 5 * 1024 ** 3

/** Seconds within which a presigned upload must start. S3 does not interrupt an upload that has already started. */
export const uploadLifetimeS = 3600

/**
 * Lifetime of a multipart upload in seconds. The storage deletes unfinished uploads after a day; the difference is left
 * for the job.
 */
export const multipartLifetimeS = 20 * 3600

/** Records of uploads; the table's TTL deletes expired ones. */
export class Uploads {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  async create(upload: NewUpload): Promise<void> {
    await this.#table.put(toRecord(upload), { condition: { exists: false } })
  }

  async get(id: string): Promise<UploadRecord | undefined> {
    const item = await this.#table.get(getRecordKey(id))
    return item && UploadRecord.parse(item)
  }

  /** Adds the file that the service fetched for the upload. */
  async attachFetchedFile({ id }: UploadRecord, file: StoredFile): Promise<void> {
    await this.#table.update(
      getRecordKey(id),
      { set: { file, filename: file.filename, size: file.size } },
      { condition: { exists: true } },
    )
  }

  /** Records the size of the complete file. */
  async recordSize({ id }: UploadRecord, size: number): Promise<void> {
    await this.#table.update(getRecordKey(id), { set: { size } }, { condition: { exists: true } })
  }

  /** Deletes the records. A file that arrives afterwards is deleted, because its upload has no record. */
  async delete(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#table.writeAll([], ids.map(getRecordKey))
  }
}

/** Returns the upload id in the key of an upload, or of the file that a job took from it; undefined for other files. */
export const parseUploadId = (key: string): string | undefined =>
  /^(?:uploads\/\w+\/(upl_\w+)|received\/\w+\/(upl_\w+)\/\w+)$/.exec(key)?.slice(1).find(Boolean)

const toRecord = (upload: UploadRecord) => ({
  ...getRecordKey(upload.id),
  ...upload,
  ttl: computeTtl(upload),
})

/**
 * Returns the write that assigns an upload to a job; it fails if another job was faster. An upload that already has a
 * `jobId` is reassigned, because that job was never stored.
 */
export const claimUploadWrite = (
  upload: UploadRecord,
  jobId: string,
  arrivedAt?: string | undefined,
): TransactionWrite => ({
  update: getRecordKey(upload.id),
  change: { set: { jobId, ...defined({ arrivedAt }) } },
  if: {
    exists: true,
    either: [
      { absent: ['jobId'] },
      ...[jobId, upload.jobId ?? jobId].map((id) => ({ equal: { jobId: id } })),
    ],
  },
})

/** Returns the write that creates an upload for a new job. A task of the job waits for the file, or fetches it. */
export const createUploadWrite = (upload: NewUpload): TransactionWrite => {
  const { pk, sk, ...set } = toRecord(upload)
  return { update: { pk, sk }, change: { set }, if: {} }
}

/**
 * Returns the storage key of an upload. A lifecycle rule for the prefix deletes the file, but only after any job would
 * have deleted it. Therefore, a job can use the file without copying it.
 */
export function createUploadKey(kind: 'uploads' | 'received', id: string, retentionHours: number): string {
  const days =
    uploadRetentionDays.find((limit) => limit * 24 >= retentionHours + 24) ?? uploadRetentionDays.at(-1)
  return `${kind}/${days}d/${id}`
}
