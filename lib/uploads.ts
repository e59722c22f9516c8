import * as z from 'zod'
import type { Table, VersionedPut } from './aws/table.ts'

/** A file on its way into the service by presigned URL. */
export const UploadRecord = z.object({
  id: z.string(),
  owner: z.string(),
  version: z.int(),
  key: z.string(),
  filename: z.string(),
  contentType: z.string(),
  size: z.int(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** The job that took it; an upload belongs to one job, which deletes it. */
  jobId: z.string().optional(),
})
export type UploadRecord = z.infer<typeof UploadRecord>

const keyOf = (id: string) => ({ pk: `UPLOAD#${id}`, sk: 'UPLOAD' })

/** Records of uploads; expired ones leave the table by its time-to-live. */
export class Uploads {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  async create(upload: UploadRecord): Promise<void> {
    await this.#table.write([putOf(upload)])
  }

  async get(id: string): Promise<UploadRecord | undefined> {
    const item = await this.#table.get(keyOf(id))
    return item && UploadRecord.parse(item)
  }

  async delete(id: string): Promise<void> {
    await this.#table.delete(keyOf(id))
  }
}

/** The write that gives an upload to a job; it fails when another job was faster. */
export const takenBy = (upload: UploadRecord, jobId: string) =>
  putOf({ ...upload, jobId, version: upload.version + 1 })

function putOf(upload: UploadRecord): VersionedPut {
  return { item: { ...keyOf(upload.id), ...upload, ttl: Math.floor(Date.parse(upload.expiresAt) / 1000) } }
}
