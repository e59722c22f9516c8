import * as z from 'zod'
import type { Table } from './aws/table.ts'
import { StoredFile } from './jobs/job.ts'
import type { TransactionWrite } from './jobs/store.ts'
import { uploadDays } from './resources/storage.ts'

/** A file on its way into the service by presigned URL. */
export const UploadRecord = z.object({
  id: z.string(),
  owner: z.string(),
  key: z.string(),
  filename: z.string(),
  contentType: z.string(),
  /** Bytes, as announced; undefined where a form is awaited that may bring any size up to `maxSize`. */
  size: z.int().optional(),
  maxSize: z.int().optional(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** It comes in parts, under this name of the storage's. */
  partsId: z.string().optional(),
  /** Whoever knows its id may send and use it: it was begun by a program that says nothing of who it is. */
  open: z.literal(true).optional(),
  /** What was fetched for it from elsewhere, by this job of its own. */
  file: StoredFile.optional(),
  importJobId: z.string().optional(),
  /** The job that took it; an upload belongs to one job, which deletes it. */
  jobId: z.string().optional(),
  /** The task that waits for it. */
  task: z.int().optional(),
})
export type UploadRecord = z.infer<typeof UploadRecord>

const keyOf = (id: string) => ({ pk: `UPLOAD#${id}`, sk: 'UPLOAD' })
const ttlOf = ({ expiresAt }: UploadRecord) => Math.floor(Date.parse(expiresAt) / 1000)

/** Bytes of one PUT or form (AWS's limit); larger files go in parts. */
export const maxSingleUploadBytes = 5 * 1024 ** 3

/** Seconds that a presigned upload may be started; S3 lets one that has started go on. */
export const uploadLifetimeS = 3600

/**
 * Seconds in which a file may be sent in parts and used: less than a day, after which the storage drops parts that
 * nobody put together, by what is left for the job.
 */
export const multipartLifetimeS = 20 * 3600

/** Records of uploads; expired ones leave the table by its time-to-live. */
export class Uploads {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  async create(upload: UploadRecord): Promise<void> {
    await this.#table.put(recordOf(upload), { condition: { exists: false } })
  }

  async get(id: string): Promise<UploadRecord | undefined> {
    const item = await this.#table.get(keyOf(id))
    return item && UploadRecord.parse(item)
  }

  /** Its file was fetched from elsewhere. */
  async attachFetchedFile({ id }: UploadRecord, file: StoredFile): Promise<void> {
    await this.#table.update(
      keyOf(id),
      { set: { file, filename: file.filename, size: file.size } },
      { condition: { exists: true } },
    )
  }

  /** All of it is there, and this large. */
  async recordSize({ id }: UploadRecord, size: number): Promise<void> {
    await this.#table.update(keyOf(id), { set: { size } }, { condition: { exists: true } })
  }

  /** These are nobody's from now on: what is sent late is deleted when it arrives. */
  async delete(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#table.writeAll([], ids.map(keyOf))
  }
}

/** A key of an upload ends in its id; other files have other keys. */
export const uploadIdOf = (key: string): string | undefined => /^uploads\/\w+\/(upl_\w+)$/.exec(key)?.[1]

const recordOf = (upload: UploadRecord) => ({ ...keyOf(upload.id), ...upload, ttl: ttlOf(upload) })

/**
 * The write that gives an upload to a job; it does not hold when another job was faster. An upload whose `jobId` is
 * known is given away again: its job was never stored.
 */
export const claimUploadWrite = (upload: UploadRecord, jobId: string): TransactionWrite => ({
  update: keyOf(upload.id),
  change: { set: { jobId } },
  if: {
    exists: true,
    either: [
      { absent: ['jobId'] },
      ...[jobId, upload.jobId ?? jobId].map((id) => ({ equal: { jobId: id } })),
    ],
  },
})

/** The write that makes the record of an upload that a task of a new job waits for, or fetches. */
export const createUploadWrite = (upload: UploadRecord): TransactionWrite => {
  const { pk, sk, ...set } = recordOf(upload)
  return { update: { pk, sk }, change: { set }, if: {} }
}

/**
 * Where a file is put that somebody sends. What nobody deletes goes by the age that its prefix stands for, and that is
 * more than a job may keep it: so no copy has to be made when a job takes it.
 */
export function uploadKey(kind: 'uploads' | 'received', id: string, retentionHours: number): string {
  const days = uploadDays.find((limit) => limit * 24 >= retentionHours + 24) ?? uploadDays.at(-1)
  return `${kind}/${days}d/${id}`
}
