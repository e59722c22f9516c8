import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { removeRuns } from './run-engine.ts'

/** A folder for what tests make themselves. It goes when they are over, as the folders of their runs do. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`))
  after(async () => {
    await rm(folder, { recursive: true })
    await removeRuns()
  })
  return folder
}
