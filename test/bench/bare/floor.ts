import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HttpClient } from '../client.ts'
import type { Fixture } from '../fixtures.ts'

export interface DurableFloor {
  /** Converts an image, from its first byte to the last byte of the result. */
  convert(image: Fixture): Promise<Buffer>
  close(): Promise<void>
}

/** Starts the durable floor in a separate process, with its files on the same disk as those of a test service. */
export async function startDurableFloor(): Promise<DurableFloor> {
  const folder = await mkdtemp(join(tmpdir(), 'mutabor-floor-'))
  const child = fork(join(import.meta.dirname, 'durable-floor.ts'), [folder])
  const [{ url }] = await once(child, 'message')
  const client = new HttpClient(url)
  return {
    convert: async ({ bytes }) => (await client.send('/', { method: 'POST', body: bytes })).body,
    close: async () => {
      client.close()
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
      await rm(folder, { recursive: true })
    },
  }
}
