import { openStore, toPromise, withFallback } from './database.ts'

/** The folder of each job's file, stored in the browser because the service only knows file names. */

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
    // Written by saveFolder.
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
