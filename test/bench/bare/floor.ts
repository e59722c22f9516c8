import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HttpClient } from '../client.ts'
import type { Fixture } from '../fixtures.ts'

export interface Floor {
  /** From the first byte of the picture to the last byte of what was made of it. */
  convert(picture: Fixture): Promise<Buffer>
  close(): Promise<void>
}

/** The durable floor in a process of its own, with its files on the disk where those of a test service are. */
export async function startFloor(): Promise<Floor> {
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
