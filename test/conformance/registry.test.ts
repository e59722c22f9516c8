/** Holds the registry to what was seen; it runs no conversion. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { candidates, conversions } from '../plan/with-all-engines.ts'
import { isProven, pairKey, readResults } from './results.ts'

const all = conversions()
const lines = await readResults()

/** The command that runs what is missing, by source. */
function command(pairs: readonly { readonly from: string }[]): string {
  const sources = [...new Set(pairs.map(({ from }) => from))]
  return `npm run conformance -- --from ${sources.join(',')}`
}

test('every pair of the registry has been seen to work over the route that it takes', () => {
  const missing = all.filter((pair) => !isProven(pair, lines))
  const list = missing.slice(0, 20).map(({ from, to }) => {
    const line = lines.get(pairKey({ from, to }))
    return `  ${from} to ${to}: ${line ? line.seen : 'never ran'}`
  })
  const text = `${missing.length} of ${all.length} pairs, among them\n${list.join('\n')}\n  ${command(missing)}`
  assert.equal(missing.length, 0, text)
})

test('the registry is as large as it is said to be', () => {
  assert.ok(all.length >= 10_900, `${all.length} pairs`)
})

test('no result is kept of a pair that is not listed', () => {
  const listed = new Set(candidates().map(pairKey))
  const stale = [...lines.values()].filter((line) => !listed.has(pairKey(line)))
  assert.deepEqual(stale.map(pairKey), [], 'npm run conformance without a choice drops them')
})
