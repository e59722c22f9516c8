/**
 * Holds the registry to what was seen: `node --test test/conformance/registry.slow.ts`. It runs no conversion and is
 * quick.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conversions } from '../../lib/plan/index.ts'
import { isProven, pairKey, readResults } from './results.ts'

const all = conversions()
const lines = await readResults()

/** The command that runs what is missing, by source. */
function command(pairs: readonly { readonly from: string }[]): string {
  const sources = [...new Set(pairs.map(({ from }) => from))]
  return `npm run conformance -- --from ${sources.join(',')}`
}

test('every pair of the registry has run over the route that it has now', () => {
  const missing = all.filter(
    (pair) => !isProven(pair, lines) && lines.get(pairKey(pair))?.result !== 'failed',
  )
  assert.equal(
    missing.length,
    0,
    `${missing.length} of ${all.length} pairs have not run:\n  ${command(missing)}`,
  )
})

test('no pair is listed that failed', () => {
  const failed = all.flatMap((pair) => {
    const line = lines.get(pairKey(pair))
    return line?.result === 'failed' ? [line] : []
  })
  const list = failed.map(({ from, to, seen }) => `  ${from} to ${to}: ${seen}`).join('\n')
  assert.equal(
    failed.length,
    0,
    `${failed.length} pairs failed:\n${list}\nMend or leave them out, then\n  ${command(failed)}`,
  )
})

test('no result is kept of a pair that is not listed', () => {
  const listed = new Set(all.map(pairKey))
  const stale = [...lines.values()].filter((line) => !listed.has(pairKey(line)))
  assert.deepEqual(stale.map(pairKey), [], 'npm run conformance without a choice drops them')
})
