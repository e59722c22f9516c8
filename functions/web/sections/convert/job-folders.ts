import { openStore, toPromise, withFallback } from './database.ts'

/** In which folder a file lay that became a job: the service knows files by their names alone. */

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
    const all = (await toPromise((await openStore('folders')).getAll())) as readonly StoredFolder[] // put there above
    return new Map(all.map(({ jobId, folder }) => [jobId, folder]))
  }, new Map<string, string>())

export const deleteFolders = (jobIds: readonly string[]) =>
  withFallback(async () => {
    const folders = await openStore('folders', 'readwrite')
    await Promise.all(jobIds.map((jobId) => toPromise(folders.delete(jobId))))
  }, undefined)
