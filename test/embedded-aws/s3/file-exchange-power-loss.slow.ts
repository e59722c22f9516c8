// Files adopted by the bucket survive a power failure, like uploads.
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { FileExchangeClient, type FileResponse } from '../../../lib/local/runtime/worker-file-broker.ts'
import { createPowerCutDisk } from '../../local/power-cut-disk.ts'

const rounds = 10
const writerCount = 4
const program = fileURLToPath(new URL('./file-exchange-process.ts', import.meta.url))

interface Server {
  readonly child: ChildProcess
  readonly files: FileExchangeClient
}

async function start(t: TestContext, folder: string): Promise<Server> {
  await mkdir(join(folder, 'work'), { recursive: true })
  const child = fork(program, [folder], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  t.after(() => child.kill('SIGKILL'))
  const files = new FileExchangeClient((request) => void child.send(request, () => undefined))
  await once(child, 'message')
  child.on('message', (message) => {
    // Any other message contains the requested digests.
    if ((message as FileResponse).type === 'file') files.handleResponse(message as FileResponse)
  })
  return { child, files }
}

/** Hands over files one after the other, and records those adopted before the power failure. */
async function write(folder: string, { files }: Server, takenFiles: Map<string, string>, power: AbortSignal) {
  while (!power.aborted) {
    const key = randomBytes(8).toString('hex')
    const path = join(folder, 'work', key)
    const bytes = randomBytes(randomInt(1, 300_000))
    await writeFile(path, bytes)
    await files.put(key, path, 'application/octet-stream')
    if (power.aborted) return
    takenFiles.set(key, createHash('sha256').update(bytes).digest('hex'))
    await rm(path)
  }
}

async function kill({ child }: Server): Promise<void> {
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

test('a file that S3 adopted as an object survives a power failure', { timeout: 120_000 }, async (t) => {
  const disk = createPowerCutDisk(t)
  if (typeof disk === 'string') {
    t.skip(disk)
    return
  }
  const takenFiles = new Map<string, string>()
  let server = await start(t, disk.folder)
  for (let round = 0; round < rounds; round++) {
    const power = new AbortController()
    const runningWriters = Array.from({ length: writerCount }, () =>
      write(disk.folder, server, takenFiles, power.signal),
    )
    // Without its disk a writer fails, or waits for a server that has exited.
    for (const runningWriter of runningWriters) runningWriter.catch(() => undefined)
    await pause(randomInt(100, 1000))
    power.abort()
    disk.cutPower()
    await kill(server)
    await disk.restore()
    server = await start(t, disk.folder)
  }
  const nextMessage = once(server.child, 'message')
  const exitedEvent = once(server.child, 'exit').then(() => assert.fail('an object is half there'))
  server.child.send('show')
  const [foundFiles] = (await Promise.race([nextMessage, exitedEvent])) as [Record<string, string>]
  exitedEvent.catch(() => undefined)
  assert.ok(takenFiles.size > 0)
  for (const [key, digest] of takenFiles) assert.equal(foundFiles[key], digest, `${key} is lost or another`)
  await kill(server)
  t.diagnostic(`${rounds} losses of power: ${takenFiles.size} files taken over`)
})
