import type { Values } from '../../options/option-values.ts'
import { openStore, toPromise, withFallback } from './database.ts'

/**
 * Stores files that are not converted yet, so that they survive a reload. Small files are stored completely. For large
 * files, only the name and the upload progress are stored, because a copy would fill the disk.
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
  /** The multipart upload of the file, if one was started. */
  readonly begun?: { readonly uploadId: string; readonly partSize: number } | undefined
}

/** Files up to this size are stored completely, in bytes. */
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

// The type of the entries is known, because `saveDraft` wrote them.
export const loadDrafts = () =>
  withFallback(async () => (await toPromise((await openStore('drafts')).getAll())) as readonly Draft[], [])
