import type { Values } from '../../options/option-values.ts'
import { quietly, request, store } from './database.ts'

/**
 * Files that were added and not yet converted, so that a reload loses nothing. Small ones are kept whole; of large ones
 * only what they are called and how far their upload is, as a copy of them would fill the disk.
 */

export interface Draft {
  readonly key: string
  readonly name: string
  readonly size: number
  readonly lastModified: number
  readonly type: string
  readonly folder?: string | undefined
  readonly file?: File | undefined
  readonly target?: string | undefined
  readonly tool?: string | undefined
  readonly values: Values
  /** Of an upload in parts that has begun. */
  readonly begun?: { readonly uploadId: string; readonly partSize: number } | undefined
}

/** Bytes up to which a file is kept whole. */
export const mostKeptBytes = 50_000_000

export const keepDraft = (draft: Draft) =>
  quietly(async () => void (await request((await store('drafts', 'readwrite')).put(draft))), undefined)

export const dropDrafts = (keys: readonly string[]) =>
  quietly(async () => {
    const drafts = await store('drafts', 'readwrite')
    await Promise.all(keys.map((key) => request(drafts.delete(key))))
  }, undefined)

export const keptDrafts = () =>
  quietly(async () => (await request((await store('drafts')).getAll())) as readonly Draft[], [])
