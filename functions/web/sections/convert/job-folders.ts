import { quietly, request, store } from './database.ts'

/** In which folder a file lay that became a job: the service knows files by their names alone. */

interface Kept {
  readonly jobId: string
  readonly folder: string
}

export const keepFolder = (jobId: string, folder: string) =>
  quietly(
    async () => void (await request((await store('folders', 'readwrite')).put({ jobId, folder }))),
    undefined,
  )

export const keptFolders = () =>
  quietly(async () => {
    const all = (await request((await store('folders')).getAll())) as readonly Kept[] // put there above
    return new Map(all.map(({ jobId, folder }) => [jobId, folder]))
  }, new Map<string, string>())

export const forgetFolders = (jobIds: readonly string[]) =>
  quietly(async () => {
    const folders = await store('folders', 'readwrite')
    await Promise.all(jobIds.map((jobId) => request(folders.delete(jobId))))
  }, undefined)
