import assert from 'node:assert/strict'
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scratchFolder } from '../scratch.ts'
import { Client, startService } from '../service.ts'

test('a data folder that was open to others is closed to them, and all that is in it', async (t) => {
  const dataDir = scratchFolder('mutabor-open')
  chmodSync(dataDir, 0o755)
  writeFileSync(join(dataDir, 'service.log'), '', { mode: 0o644 })
  const service = await startService({}, dataDir)
  t.after(() => service.kill())
  await new Client(service).convert(
    { name: 'a.txt', bytes: new Uint8Array(Buffer.from('text')) },
    { targetFormat: 'html' },
  )
  const names = ['', ...(readdirSync(dataDir, { recursive: true }) as string[])]
  const open = names.filter((name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0)
  assert.deepEqual(open, [])
})

test('a second service on the same data folder ends with a sentence, and the first goes on', async () => {
  const first = await startService()
  try {
    await assert.rejects(
      startService({}, first.dataDir),
      new RegExp(
        `^Error: the service did not start: The data folder ${first.dataDir} is in use by another service\\. End it, or set another DATA_DIR\\.\\n$`,
      ),
    )
    assert.equal((await fetch(`${first.url}/v1`)).status, 200)
    await first.kill()
    const again = await startService({}, first.dataDir)
    await again.kill()
  } finally {
    await first.stop()
  }
})
