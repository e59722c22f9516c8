/** What the browser keeps of files between visits. Where it keeps nothing, that is lost with the page, as it always was. */

const stores = { drafts: 'key', folders: 'jobId' } as const

export const toPromise = <Value>(request: IDBRequest<Value>) =>
  new Promise<Value>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

let opened: Promise<IDBDatabase> | undefined

function database(): Promise<IDBDatabase> {
  const request = indexedDB.open('mutabor', 2)
  request.onupgradeneeded = () => {
    for (const [name, keyPath] of Object.entries(stores))
      if (!request.result.objectStoreNames.contains(name)) request.result.createObjectStore(name, { keyPath })
  }
  return toPromise(request).then((database) => {
    // Another tab may have a newer page, which would wait for this one.
    database.onversionchange = () => database.close()
    return database
  })
}

export async function openStore(
  name: keyof typeof stores,
  mode: IDBTransactionMode = 'readonly',
): Promise<IDBObjectStore> {
  opened ??= database()
  return (await opened).transaction(name, mode).objectStore(name)
}

export async function withFallback<Value>(act: () => Promise<Value>, fallback: Value): Promise<Value> {
  try {
    return await act()
  } catch {
    return fallback
  }
}
