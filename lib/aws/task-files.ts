import type { Files } from './files.ts'

/** The bucket operations that running a task needs. */
export type TaskFiles = Pick<Files, 'getFile' | 'putFile' | 'delete' | 'receive' | 'read' | 'stream'>

/** Maximum size in bytes of an object stored with one request, such as a form (AWS's limit). */
export const maxSinglePutBytes = 5 * 1024 ** 3

/** A presigned form that accepts files whose keys have the prefix. */
export interface PresignedForm {
  readonly url: string
  readonly prefix: string
  readonly fields: Readonly<Record<string, string>>
}
