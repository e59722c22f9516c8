// A client may change whatever the service gave it: no change of a cursor or signed URL is accepted. See
// test/access/token-types.test.ts for tokens.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createDailyKeys, deriveKey } from '../../lib/crypto/sealed.ts'
import { createCursorCodec } from '../../lib/http/job-cursors.ts'
import { newId } from '../../lib/ids.ts'
import { signQuery, verifySignature } from '../../lib/links/signed-download.ts'

const secret = deriveKey('a secret that only this test knows', 'cursor')
const seed = 20261128

/** Generates another text: with a character changed, removed or added, or with another end. */
const changedTextArbitrary = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.nat(text.length - 1),
      fc.constantFrom('replace', 'remove', 'insert', 'cut', 'append', 'case'),
      fc.constantFrom(...'AZaz09-_.=%+/ \u0000é'),
    )
    .map(([at, how, character]) => {
      const [head, tail] = [text.slice(0, at), text.slice(at)]
      switch (how) {
        case 'replace':
          return head + character + tail.slice(1)
        case 'remove':
          return head + tail.slice(1)
        case 'insert':
          return head + character + tail
        case 'cut':
          return head
        case 'append':
          return text + character
        default:
          return head + (tail[0] ?? '').toUpperCase() + tail.slice(1)
      }
    })
    .filter((changed) => changed !== text)

test('a list cursor is rejected if it was altered or belongs to another list', () => {
  const { read, write } = createCursorCodec('owner 1, all jobs', secret)
  const position = { direction: 'next', jobId: newId('job') } as const
  const cursor = write(position)
  assert.deepEqual(read(cursor), position)
  fc.assert(
    fc.property(changedTextArbitrary(cursor), (changedCursor) => {
      assert.throws(() => read(changedCursor), { code: 'INVALID_INPUT' })
    }),
    { seed, numRuns: 3000 },
  )
  const otherCursors = [
    createCursorCodec('owner 2, all jobs', secret),
    createCursorCodec('owner 1, all jobs', deriveKey('x', 'cursor')),
  ]
  for (const otherCursor of otherCursors)
    assert.throws(() => otherCursor.read(cursor), { code: 'INVALID_INPUT' })
})

test('a signed URL is rejected if a parameter is changed or removed, or if an unexpected one is added', () => {
  const key = createDailyKeys(deriveKey('a secret that only this test knows', 'downloads'))
  const jobId = newId('job')
  const at = Date.now()
  const query = { task: 'out', file: 'a b.png', link: 'AbC_1', max: '3' }
  const text = signQuery({ jobId, query, expiresAtS: Math.floor(at / 1000) + 600, at }, key)
  const signedQuery = Object.fromEntries(new URLSearchParams(text))
  verifySignature(jobId, signedQuery, key)
  const assertRejected = (changed: Readonly<Record<string, string | undefined>>, job = jobId) =>
    assert.throws(() => verifySignature(job, changed, key), { code: 'INVALID_SIGNATURE' })
  assertRejected(signedQuery, newId('job'))
  for (const name of Object.keys(signedQuery)) {
    assertRejected({ ...signedQuery, [name]: undefined })
    fc.assert(
      fc.property(changedTextArbitrary(signedQuery[name] ?? ''), (changed) =>
        assertRejected({ ...signedQuery, [name]: changed }),
      ),
      { seed, numRuns: 500 },
    )
  }
  const addedParameter = fc.tuple(fc.string({ minLength: 1, maxLength: 12 }), fc.string({ maxLength: 12 }))
  fc.assert(
    fc.property(
      addedParameter.filter(([name]) => name !== 'inline' && !(name in signedQuery)),
      ([name, value]) => assertRejected({ ...signedQuery, [name]: value }),
    ),
    { seed, numRuns: 500 },
  )
})
