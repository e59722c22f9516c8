/** What the browser keeps of files between visits. Where it keeps nothing, that is lost with the page, as it always was. */

const stores = { drafts: 'key', folders: 'jobId' } as const

export const request = <Value>(asked: IDBRequest<Value>) =>
  new Promise<Value>((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result)
    asked.onerror = () => reject(asked.error)
  })

let opened: Promise<IDBDatabase> | undefined

function database(): Promise<IDBDatabase> {
  const asked = indexedDB.open('mutabor', 2)
  asked.onupgradeneeded = () => {
    for (const [name, keyPath] of Object.entries(stores))
      if (!asked.result.objectStoreNames.contains(name)) asked.result.createObjectStore(name, { keyPath })
  }
  return request(asked).then((made) => {
    // Another tab may have a newer page, which would wait for this one.
    made.onversionchange = () => made.close()
    return made
  })
}

export async function store(
  name: keyof typeof stores,
  mode: IDBTransactionMode = 'readonly',
): Promise<IDBObjectStore> {
  opened ??= database()
  return (await opened).transaction(name, mode).objectStore(name)
}

export async function quietly<Value>(act: () => Promise<Value>, otherwise: Value): Promise<Value> {
  try {
    return await act()
  } catch {
    return otherwise
  }
}
