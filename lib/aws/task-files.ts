import type { Files } from './files.ts'

/** What running a task takes of the bucket. */
export type TaskFiles = Pick<Files, 'getFile' | 'putFile' | 'delete' | 'receive' | 'read' | 'stream'>

/** Bytes of one object that comes in one request (AWS's limit), as a form does. */
export const maxSinglePutBytes = 5 * 1024 ** 3

/** A form for files whose keys begin with the prefix. */
export interface PresignedForm {
  readonly url: string
  readonly prefix: string
  readonly fields: Readonly<Record<string, string>>
}
