import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesWildcards } from '../../lib/names/wildcards.ts'

const cases: readonly [name: string, matching: readonly string[], others: readonly string[]][] = [
  [
    'page-003.jpg',
    [
      'page-003.jpg',
      '*',
      '**',
      '*.jpg',
      'page-*',
      'page-00?.jpg',
      '?age*3*',
      'page-00[1-3].*',
      'page-00[!12].jpg',
    ],
    ['', 'page-003.jp', 'page-003.jpgx', 'PAGE-*', '?', '*.png', 'page-00[12].jpg', 'page-00[!3].jpg', '*4*'],
  ],
  ['a[1].txt', ['a?1?.txt', 'a[[]1].txt'], ['a[1].txt', 'a.txt']],
  ['a-b', ['a[-]b', 'a[b-]b', 'a[+--]b'], ['a[a-z]b', 'a[', 'a[-b']],
  ['', ['', '*'], ['?', 'a']],
]

test('a wildcard pattern matches any number of characters, a single character, or one of a set of characters', () => {
  for (const [name, matching, others] of cases) {
    for (const pattern of matching) assert.ok(matchesWildcards(name, pattern), `${pattern} matches ${name}`)
    for (const pattern of others) assert.ok(!matchesWildcards(name, pattern), `${pattern} matches ${name}`)
  }
})

test('a hostile wildcard pattern of a thousand characters is matched within a second', () => {
  const startedAtMs = performance.now()
  assert.equal(matchesWildcards('a'.repeat(1000), `${'a*'.repeat(500)}b`), false)
  assert.equal(matchesWildcards('a'.repeat(1000), `${'*a'.repeat(500)}*b`), false)
  assert.equal(matchesWildcards('a'.repeat(1000), '['.repeat(1000)), false)
  assert.ok(performance.now() - startedAtMs < 1000)
})
