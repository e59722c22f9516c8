import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ContainerClient, StorageSharedKeyCredential } from '@azure/storage-blob'

/** Starts Azurite with a container `box`. */

// The public default account of Azurite.
const storage_account = 'devstoreaccount1'
const storage_access_key =
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='
export const credential = new StorageSharedKeyCredential(storage_account, storage_access_key)

const main = fileURLToPath(new URL('../../node_modules/azurite/dist/src/blob/main.js', import.meta.url))
const flags = ['--skipApiVersionCheck', '--disableTelemetry', '--blobPort', '0']

interface AzuriteOptions {
  /** Folder for blobs; in memory if omitted. */
  readonly folder?: string
  readonly extraFlags?: readonly string[]
}

export async function startAzurite({ folder, extraFlags = [] }: AzuriteOptions = {}) {
  const persistenceArgs = folder === undefined ? ['--inMemoryPersistence'] : ['--location', folder]
  const azurite = spawn(process.execPath, [main, ...flags, ...persistenceArgs, ...extraFlags], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let base = ''
  const { stdout } = azurite
  for await (const line of createInterface({ input: stdout ?? assert.fail() })) {
    base = /(http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1] ?? base
    if (line.includes('successfully') && base) break
  }
  stdout.resume()
  const endpoint = `${base}/${storage_account}`
  const container = new ContainerClient(`${endpoint}/box`, credential)
  await container.create()
  return {
    container,
    access: { storage_account, container: 'box', storage_access_key, endpoint },
    async stop() {
      const exit = once(azurite, 'exit')
      azurite.kill()
      await exit
    },
  }
}
