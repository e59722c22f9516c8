/** Browser storage for files between visits. If it is unavailable, they are lost when the page is closed. */

const stores = { drafts: 'key', folders: 'jobId' } as const

export const toPromise = <Value>(request: IDBRequest<Value>) =>
  new Promise<Value>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

let openedDatabase: Promise<IDBDatabase> | undefined

function database(): Promise<IDBDatabase> {
  const request = indexedDB.open('mutabor', 2)
  request.onupgradeneeded = () => {
    for (const [name, keyPath] of Object.entries(stores))
      if (!request.result.objectStoreNames.contains(name)) request.result.createObjectStore(name, { keyPath })
  }
  return toPromise(request).then((database) => {
    // A tab with a newer version of the page can only upgrade the database after this connection is closed.
    database.onversionchange = () => database.close()
    return database
  })
}

export async function openStore(
  name: keyof typeof stores,
  mode: IDBTransactionMode = 'readonly',
): Promise<IDBObjectStore> {
  openedDatabase ??= database()
  return (await openedDatabase).transaction(name, mode).objectStore(name)
}

export async function withFallback<Value>(
  operation: () => Promise<Value>,
  fallbackValue: Value,
): Promise<Value> {
  try {
    return await operation()
  } catch {
    return fallbackValue
  }
}
