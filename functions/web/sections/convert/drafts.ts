import type { Values } from './remembered.ts'

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
  readonly file?: File | undefined
  readonly target?: string | undefined
  readonly tool?: string | undefined
  readonly values: Values
  /** Of an upload in parts that has begun. */
  readonly begun?: { readonly uploadId: string; readonly partSize: number } | undefined
}

/** Bytes up to which a file is kept whole. */
export const mostKeptBytes = 50_000_000

const request = <Value>(asked: IDBRequest<Value>) =>
  new Promise<Value>((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result)
    asked.onerror = () => reject(asked.error)
  })

let opened: Promise<IDBDatabase> | undefined

function database(): Promise<IDBDatabase> {
  const asked = indexedDB.open('mutabor', 1)
  asked.onupgradeneeded = () => asked.result.createObjectStore('drafts', { keyPath: 'key' })
  return request(asked)
}

async function store(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  opened ??= database()
  return (await opened).transaction('drafts', mode).objectStore('drafts')
}

/** Where a browser keeps nothing, drafts are lost with the page, as they always were. */
const quietly = async <Value>(act: () => Promise<Value>, otherwise: Value): Promise<Value> => {
  try {
    return await act()
  } catch {
    return otherwise
  }
}

export const keepDraft = (draft: Draft) =>
  quietly(async () => void (await request((await store('readwrite')).put(draft))), undefined)

export const dropDrafts = (keys: readonly string[]) =>
  quietly(async () => {
    const drafts = await store('readwrite')
    await Promise.all(keys.map((key) => request(drafts.delete(key))))
  }, undefined)

export const keptDrafts = () =>
  quietly(async () => (await request((await store('readonly')).getAll())) as readonly Draft[], [])
