import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Reads a JSON file. Returns undefined if it is missing or unreadable, because no command depends on these files. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** Writes the file atomically, readable only by its owner. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const temporaryPath = `${path}.${process.pid}`
  await writeFile(temporaryPath, JSON.stringify(value), { mode: 0o600 })
  await rename(temporaryPath, path)
}

export const removeFile = (path: string): Promise<void> => rm(path, { force: true })
