import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../service.ts'

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
