import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecoderPool } from '../../lib/decoders/decoder-pool.ts'
import type { Call } from '../../lib/decoders/decoder-process.ts'
import { detectorKind } from '../../lib/decoders/detect-format.ts'

/** Runs two calls at the same time and returns the folders of their processes, which are different. */
async function runOverlappingCalls(pool: DecoderPool): Promise<readonly string[]> {
  const bothStartedEvent = Promise.withResolvers<void>()
  const folders: string[] = []
  const call: Call<void> = {
    limits: { cpuS: 60, memoryBytes: Number.POSITIVE_INFINITY, silenceMs: 60_000 },
    waitingSince: undefined,
    onMessage: () => undefined,
    run: async ({ folder }) => {
      if (folders.push(folder) === 2) bothStartedEvent.resolve()
      await bothStartedEvent.promise
    },
  }
  await Promise.all([pool.run(call), pool.run(call)])
  return folders.toSorted()
}

test('decoder processes are replaced after a minute without work, but not while they are in use', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const pool = new DecoderPool({ ...detectorKind, maxProcesses: 2 })
  try {
    const firstFolders = await runOverlappingCalls(pool)
    t.mock.timers.tick(40_000)
    assert.deepEqual(await runOverlappingCalls(pool), firstFolders)
    t.mock.timers.tick(40_000)
    assert.deepEqual(await runOverlappingCalls(pool), firstFolders, '80 s after the first calls')
    t.mock.timers.tick(60_000)
    const laterFolders = await runOverlappingCalls(pool)
    assert.ok(laterFolders.every((folder) => !firstFolders.includes(folder)))
  } finally {
    await pool.stop()
  }
})
