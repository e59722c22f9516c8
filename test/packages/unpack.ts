import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js'
import { layerFileName, layersOf } from '../../lib/deployment/lambda-layers.ts'
import type { FunctionName } from '../../lib/resources/functions.ts'

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

/** Where the code of a function lies below a folder that stands for the root of its machine. */
export const taskFolder = 'var/task'

/**
 * Lays out a function and its layers below a folder, as they lie below the root of its machine.
 *
 * @param packages where they were packaged.
 */
export async function unpackFunction(name: FunctionName, packages: string, root: string): Promise<void> {
  await unpack(join(packages, `${name}.zip`), join(root, taskFolder))
  for (const layer of layersOf(name)) await unpack(join(packages, layerFileName(layer)), join(root, 'opt'))
}
