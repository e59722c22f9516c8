import type { Values } from '../../options/option-values.ts'
import { openStore, toPromise, withFallback } from './database.ts'

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
export const maxStoredBytes = 50_000_000

export const saveDraft = (draft: Draft) =>
  withFallback(
    async () => void (await toPromise((await openStore('drafts', 'readwrite')).put(draft))),
    undefined,
  )

export const deleteDrafts = (keys: readonly string[]) =>
  withFallback(async () => {
    const drafts = await openStore('drafts', 'readwrite')
    await Promise.all(keys.map((key) => toPromise(drafts.delete(key))))
  }, undefined)

export const loadDrafts = () =>
  withFallback(async () => (await toPromise((await openStore('drafts')).getAll())) as readonly Draft[], [])
