import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

const folders: string[] = []
// With the file and not with the test that asked: hooks run in the order in which they were added, so that a server
// that writes into the folder would still be there.
after(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

/** A folder for what tests make themselves. It goes when those of the file are over. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`))
  folders.push(folder)
  return folder
}
