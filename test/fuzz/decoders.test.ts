import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createInput, loadSamples } from './decoder-inputs.ts'
import { fuzzDecoders } from './decoders.ts'

test('mutated files neither crash nor hang the parsers of decoder processes', async () => {
  const { doneCount, problems } = await fuzzDecoders({ seed: 'tests', count: 4000, maxMs: 8000 })
  assert.ok(doneCount > 100, `${doneCount} inputs`)
  assert.deepEqual(problems, [])
})

test('the input of the decoder fuzzer is the same for the same seed and number, and differs otherwise', async () => {
  const samples = loadSamples()
  const createBytes = async (seed: string, number: number) => (await createInput(samples, seed, number)).bytes
  assert.deepEqual(await createBytes('a', 7), await createBytes('a', 7))
  assert.notDeepEqual(await createBytes('a', 7), await createBytes('a', 8))
  assert.notDeepEqual(await createBytes('a', 7), await createBytes('b', 7))
})
