import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js'

/** Lays the files of a package into a folder, as Lambda does at a start. */
export async function unpack(zip: string, target: string): Promise<void> {
  const reader = new ZipReader(new Uint8ArrayReader(readFileSync(zip)))
  for (const entry of await reader.getEntries()) {
    if (entry.directory) continue
    const path = join(target, entry.filename)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, await entry.getData(new Uint8ArrayWriter()))
  }
}
