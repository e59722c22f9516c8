import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

const folders: string[] = []
// Deletes the folders after all tests of the file, not after each test: hooks run in the order in which they were
// added, so a server that writes into the folder would still be running.
after(async () => {
  // Processes that were killed may still be writing briefly.
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** Creates a folder for files of tests. It is deleted after the tests of the file. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`))
  folders.push(folder)
  return folder
}
