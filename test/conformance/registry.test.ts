/** Compares the registry with recorded results; it runs no conversion. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { candidates, conversions } from '../plan/with-all-engines.ts'
import { isProven, pairKey, readResults } from './results.ts'

const all = conversions()
const lines = await readResults()

/** Returns the command that runs the missing conversions. */
function command(pairs: readonly { readonly from: string }[]): string {
  const sources = [...new Set(pairs.map(({ from }) => from))]
  return `npm run conformance -- --from ${sources.join(',')}`
}

test('every registered conversion has a recorded success with its current route', () => {
  const missing = all.filter((pair) => !isProven(pair, lines))
  const list = missing.slice(0, 20).map(({ from, to }) => {
    const line = lines.get(pairKey({ from, to }))
    return `  ${from} to ${to}: ${line ? line.seen : 'never ran'}`
  })
  const text = `${missing.length} of ${all.length} pairs, among them\n${list.join('\n')}\n  ${command(missing)}`
  assert.equal(missing.length, 0, text)
})

test('the registry has the documented number of conversions', () => {
  assert.ok(all.length >= 10_900, `${all.length} pairs`)
})

test('no conformance results are stored for conversions that are not listed', () => {
  const listed = new Set(candidates().map(pairKey))
  const stale = [...lines.values()].filter((line) => !listed.has(pairKey(line)))
  assert.deepEqual(stale.map(pairKey), [], 'npm run conformance without a choice drops them')
})
