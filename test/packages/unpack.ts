import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js'
import { getLayerFilename, getLayers } from '../../lib/deployment/lambda-layers.ts'
import type { FunctionName } from '../../lib/resources/functions.ts'

/** Extracts a package into a folder, as Lambda does at a cold start. */
export async function unpack(zip: string, target: string): Promise<void> {
  const reader = new ZipReader(new Uint8ArrayReader(readFileSync(zip)))
  for (const entry of await reader.getEntries()) {
    if (entry.directory) continue
    const path = join(target, entry.filename)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, await entry.getData(new Uint8ArrayWriter()))
  }
}

/** Folder of the code of a function, relative to a folder that represents the root of its file system. */
export const taskFolder = 'var/task'

/** Extracts a function and its layers from a folder of packages, below a folder that represents its root. */
export async function unpackFunction(
  name: FunctionName,
  packagesFolder: string,
  root: string,
): Promise<void> {
  await unpack(join(packagesFolder, `${name}.zip`), join(root, taskFolder))
  for (const layer of getLayers(name))
    await unpack(join(packagesFolder, getLayerFilename(layer)), join(root, 'opt'))
}
