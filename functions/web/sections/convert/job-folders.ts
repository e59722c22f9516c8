import { openStore, toPromise, withFallback } from './database.ts'

/** Stores the folder of each job's file in the browser, because the service only knows filenames. */

interface StoredFolder {
  readonly jobId: string
  readonly folder: string
}

export const saveFolder = (jobId: string, folder: string) =>
  withFallback(
    async () => void (await toPromise((await openStore('folders', 'readwrite')).put({ jobId, folder }))),
    undefined,
  )

export const loadFolders = () =>
  withFallback(async () => {
    // The type of the entries is known, because `saveFolder` wrote them.
    const storedJobFolders = (await toPromise(
      (await openStore('folders')).getAll(),
    )) as readonly StoredFolder[]
    return new Map(storedJobFolders.map(({ jobId, folder }) => [jobId, folder]))
  }, new Map<string, string>())

export const deleteFolders = (jobIds: readonly string[]) =>
  withFallback(async () => {
    const folders = await openStore('folders', 'readwrite')
    await Promise.all(jobIds.map((jobId) => toPromise(folders.delete(jobId))))
  }, undefined)
