import assert from 'node:assert/strict'
import test from 'node:test'
import { flattenEvent } from '../../../lib/embedded-aws/events/flatten-event.ts'
import { matchesPattern, TooComplex } from '../../../lib/embedded-aws/events/matching.ts'
import { readPattern } from '../../../lib/embedded-aws/events/pattern.ts'
import { ApiError } from '../../../lib/embedded-aws/signed-api.ts'

function matches(pattern: object, event: object): boolean {
  const leaves = flattenEvent(event)
  assert.ok(leaves)
  return matchesPattern(readPattern(JSON.stringify(pattern)), leaves)
}

/** By name: a pattern, events that it matches, and events that it does not match. */
const cases: Readonly<Record<string, readonly [pattern: object, yes: object[], no: object[]]>> = {
  'a value is one of a list': [{ a: ['x', 'y'] }, [{ a: 'y' }], [{ a: 'z' }, { a: 1 }, {}]],
  'field names and values are case-sensitive': [{ a: ['x'] }, [{ a: 'x' }], [{ A: 'x' }, { a: 'X' }]],
  'all fields of a pattern must match': [
    { a: ['x'], b: ['y'] },
    [{ a: 'x', b: 'y', c: 1 }],
    [{ a: 'x' }, { a: 'x', b: 'z' }],
  ],
  'numbers compare by value': [{ n: [300] }, [{ n: 300.0 }, { n: 3e2 }], [{ n: '300' }, { n: 301 }]],
  booleans: [{ b: [true] }, [{ b: true }], [{ b: false }, { b: 'true' }]],
  null: [{ a: [null] }, [{ a: null }], [{}, { a: 'null' }, { a: [] }, { a: 0 }]],
  'an empty string': [{ a: [''] }, [{ a: '' }], [{ a: null }, {}]],
  'one element of an array is enough': [{ a: ['x'] }, [{ a: ['w', 'x'] }], [{ a: ['w'] }, { a: [] }]],
  'fields in nested objects': [
    { d: { e: { f: ['x'] } } },
    [{ d: { e: { f: 'x' } } }],
    [{ d: { f: 'x' } }, { d: 'x' }],
  ],
  'a dot joins field names, in patterns and in events': [
    { 'd.e': { f: ['x'] } },
    [{ d: { e: { f: 'x' } } }, { 'd.e.f': 'x' }],
    [{ d: { f: 'x' } }],
  ],
  'JSON inside a string is not parsed': [{ d: { e: ['x'] } }, [{ d: { e: 'x' } }], [{ d: '{"e":"x"}' }]],
  'fields of one array come from the same element': [
    { list: { kind: ['a'], n: [1] } },
    [{ list: [{ kind: 'b' }, { kind: 'a', n: 1 }] }],
    [
      {
        list: [
          { kind: 'a', n: 2 },
          { kind: 'b', n: 1 },
        ],
      },
    ],
  ],
  'fields of nested arrays come from the same element': [
    { a: { x: ['1'], b: { y: ['2'], z: ['3'] } } },
    [{ a: [{ x: '1', b: [{ y: '0' }, { y: '2', z: '3' }] }] }],
    [{ a: [{ x: '1', b: [{ y: '2' }, { z: '3' }] }] }, { a: [{ x: '1' }, { b: { y: '2', z: '3' } }] }],
  ],
  'exists: false applies to the array element that an earlier field matched': [
    { list: { kind: ['a'], n: [{ exists: false }] } },
    [{ list: [{ kind: 'a' }, { kind: 'b', n: 1 }] }, { list: [{ kind: 'a', n: 1 }, { kind: 'a' }] }],
    [{ list: [{ kind: 'a', n: 1 }, { kind: 'b' }] }, { list: [{ n: 1 }] }],
  ],
  'exists: false on the alphabetically first field applies to all array elements': [
    { list: { a: [{ exists: false }], kind: ['x'] } },
    [{ list: [{ kind: 'x' }, { kind: 'y' }] }],
    [{ list: [{ kind: 'x' }, { kind: 'y', a: 1 }] }],
  ],
  prefix: [{ a: [{ prefix: 'ab' }] }, [{ a: 'abc' }, { a: 'ab' }], [{ a: 'Abc' }, { a: 'xab' }, { a: 12 }]],
  'prefix, ignoring case': [
    { a: [{ prefix: { 'equals-ignore-case': 'AB' } }] },
    [{ a: 'abc' }],
    [{ a: 'xab' }],
  ],
  suffix: [{ a: [{ suffix: '.png' }] }, [{ a: 'x.png' }], [{ a: 'x.PNG' }, { a: 'x.png2' }]],
  'suffix, ignoring case': [
    { a: [{ suffix: { 'equals-ignore-case': '.png' } }] },
    [{ a: 'x.PNG' }],
    [{ a: 'png' }],
  ],
  'equals-ignore-case': [{ a: [{ 'equals-ignore-case': 'Heiß' }] }, [{ a: 'hEIß' }], [{ a: 'heiss' }]],
  'exists: true matches leaf fields but no objects and no empty arrays': [
    { a: [{ exists: true }] },
    [{ a: null }, { a: 0 }],
    [{}, { a: { b: 1 } }, { a: [] }],
  ],
  'exists: false': [{ a: { b: [{ exists: false }] } }, [{}, { a: 1 }, { a: { c: 1 } }], [{ a: { b: null } }]],
  'numeric =': [
    { n: [{ numeric: ['=', 301.8] }] },
    [{ n: 3.018e2 }],
    [{ n: 301 }, { n: '301.8' }, { n: null }],
  ],
  'numeric range': [{ n: [{ numeric: ['>', 0, '<=', 5] }] }, [{ n: 5 }, { n: 0.1 }], [{ n: 0 }, { n: 5.1 }]],
  'numeric < and >=': [
    { n: [{ numeric: ['<', 10] }], m: [{ numeric: ['>=', -1] }] },
    [{ n: 9, m: -1 }],
    [{ n: 10, m: 0 }],
  ],
  'anything-but a string': [
    { a: [{ 'anything-but': 'x' }] },
    [{ a: 'y' }, { a: null }, { a: 3 }],
    [{ a: 'x' }, {}],
  ],
  'anything-but strings': [
    { a: [{ 'anything-but': ['x', 'y'] }] },
    [{ a: 'z' }, { a: ['x', 'z'] }],
    [{ a: 'x' }, {}],
  ],
  'anything-but a number': [{ a: [{ 'anything-but': 0 }] }, [{ a: 1 }, { a: '0' }], [{ a: 0 }, {}]],
  'anything-but numbers': [{ a: [{ 'anything-but': [1, 2] }] }, [{ a: 3 }], [{ a: 2 }]],
  'anything-but a prefix': [
    { a: [{ 'anything-but': { prefix: 'in' } }] },
    [{ a: 'x' }, { a: 12 }, { a: null }],
    [{ a: 'init' }, {}],
  ],
  'anything-but prefixes': [
    { a: [{ 'anything-but': { prefix: ['in', 'ex'] } }] },
    [{ a: 'x' }],
    [{ a: 'exit' }],
  ],
  'anything-but a suffix': [{ a: [{ 'anything-but': { suffix: '.txt' } }] }, [{ a: 'x' }], [{ a: 'x.txt' }]],
  'anything-but suffixes': [
    { a: [{ 'anything-but': { suffix: ['.txt', '.md'] } }] },
    [{ a: 'x' }],
    [{ a: 'x.md' }],
  ],
  'anything-but, ignoring case': [
    { a: [{ 'anything-but': { 'equals-ignore-case': ['INIT', 'x'] } }] },
    [{ a: 'y' }],
    [{ a: 'init' }],
  ],
  'anything-but a wildcard': [
    { a: [{ 'anything-but': { wildcard: '*/dir/*' } }] },
    [{ a: 'dir' }, { a: 123 }],
    [{ a: 'x/dir/y' }, {}],
  ],
  'anything-but wildcards': [
    { a: [{ 'anything-but': { wildcard: ['*a', 'b*'] } }] },
    [{ a: 'xyz' }],
    [{ a: 'xa' }, { a: 'bx' }],
  ],
  'anything-but an empty wildcard': [
    { a: [{ 'anything-but': { wildcard: '' } }] },
    [{ a: 'x' }],
    [{ a: '' }],
  ],
  wildcard: [
    { a: [{ wildcard: 'x/*/y*.png' }] },
    [{ a: 'x//y.png' }, { a: 'x/1/2/y3.png' }],
    [{ a: 'x/y.png' }, { a: 'x/1/y.pn' }],
  ],
  'a wildcard alone': [{ a: [{ wildcard: '*' }] }, [{ a: '' }, { a: 'x' }], [{ a: 1 }, {}]],
  'a wildcard does not use one character twice': [
    { a: [{ wildcard: 'ab*ba' }] },
    [{ a: 'abba' }],
    [{ a: 'aba' }],
  ],
  'an escaped asterisk is literal': [{ a: [{ wildcard: '\\*\\\\*' }] }, [{ a: '*\\x' }], [{ a: 'a\\x' }]],
  cidr: [{ a: [{ cidr: '10.0.0.0/24' }] }, [{ a: '10.0.0.255' }], [{ a: '10.0.1.0' }, { a: 'x' }, { a: 5 }]],
  'cidr, IPv6': [
    { a: [{ cidr: '2001:db8:1234:1a00::/56' }] },
    [{ a: '2001:0db8:1234:1aff::1' }],
    [{ a: '2001:db8:1234:1b00::' }],
  ],
  'one of several matchers is enough': [
    { a: [{ prefix: 'x' }, 7, { exists: false }] },
    [{ a: 'xy' }, { a: 7 }, {}],
    [{ a: 'y' }],
  ],
  $or: [
    { a: ['x'], $or: [{ b: [1] }, { c: [{ exists: true }] }] },
    [
      { a: 'x', b: 1 },
      { a: 'x', c: 0 },
    ],
    [{ a: 'x' }, { b: 1, c: 1 }],
  ],
  'exists: false in an $or alternative': [
    { list: { kind: ['a'] }, $or: [{ list: { n: [{ exists: false }] } }, { b: [1] }] },
    [{ list: [{ kind: 'a' }, { n: 1 }] }, { list: [{ kind: 'a', n: 1 }], b: 1 }],
    [{ list: [{ kind: 'a', n: 1 }] }],
  ],
  '$or within a field': [{ d: { $or: [{ b: [1] }, { c: [2] }] } }, [{ d: { c: 2 } }], [{ c: 2 }]],
  '$or within $or': [{ $or: [{ a: [1] }, { $or: [{ b: [1] }, { c: [1] }] }] }, [{ c: 1 }], [{ d: 1 }]],
  'a field called $or': [{ $or: ['x', 'y'] }, [{ $or: 'x' }], [{}]],
}

for (const [name, [pattern, yes, no]] of Object.entries(cases))
  test(`an event pattern matches as on AWS: ${name}`, () => {
    for (const event of yes) assert.equal(matches(pattern, event), true, JSON.stringify(event))
    for (const event of no) assert.equal(matches(pattern, event), false, JSON.stringify(event))
  })

const reasons: Readonly<Record<string, string>> = {
  '[1]': 'Filter is not an object',
  '{}': 'Empty objects are not allowed',
  '{"a":{}}': 'Empty objects are not allowed',
  '{"a":[]}': 'Empty arrays are not allowed',
  '{"a":42}': '"a" must be an object or an array',
  '{"a":"x"}': '"a" must be an object or an array',
  '{"a":[["x"]]}': 'Match value must be String, number, true, false, or null',
  '{"a":[{"EXISTS":true}]}': 'Unrecognized match type EXISTS',
  '{"a":[{"__proto__":true}]}': 'Unrecognized match type __proto__',
  '{"a":[{"exists":1}]}': 'exists match pattern must be either true or false.',
  '{"a":[{"prefix":"x","suffix":"y"}]}': 'Only one key allowed in match expression',
  '{"a":[{"prefix":["x"]}]}': 'prefix match pattern must be a string',
  '{"a":[{"prefix":{}}]}': 'prefix expression name not found',
  '{"a":[{"suffix":{"prefix":"x"}}]}': 'Unsupported suffix pattern: prefix',
  '{"a":[{"prefix":{"equals-ignore-case":"x","suffix":"y"}}]}': 'Only one key allowed in match expression',
  '{"a":[{"suffix":1}]}': 'suffix match pattern must be a string',
  '{"a":[{"equals-ignore-case":["x"]}]}': 'equals-ignore-case match pattern must be a string',
  '{"a":[{"wildcard":1}]}': 'wildcard match pattern must be a string',
  '{"a":[{"wildcard":"a**b"}]}': 'Consecutive wildcard characters at pos 2',
  '{"a":[{"wildcard":"a\\\\b"}]}': 'Invalid escape character at pos 2',
  '{"a":[{"wildcard":"*:*:*:*:*:event-bus/*"}]}':
    'Rule is too complex - try using fewer wildcard characters or fewer repeating character sequences after a wildcard character',
  '{"a":[{"cidr":"10.0.0.0"}]}': "Malformed CIDR, one '/' required",
  '{"a":[{"cidr":"10.0.0.1/32"}]}': 'IPv4 mask bits must be < 32',
  '{"a":[{"cidr":"2001:db8::1/128"}]}': 'IPv6 mask bits must be < 128',
  '{"a":[{"cidr":"10.0.0.0/xx"}]}': 'Malformed CIDR, mask bits must be an integer',
  '{"a":[{"cidr":"xx.11.xx/8"}]}': 'Nonstandard IP address: xx.11.xx',
  '{"a":[{"cidr":"xxxx:db8::/8"}]}': 'Nonstandard IP address: xxxx:db8::',
  '{"a":[{"cidr":["x"]}]}': 'prefix match pattern must be a string',
  '{"a":[{"numeric":5}]}': 'Value of numeric must be an array.',
  '{"a":[{"NUMERIC":["=",5]}]}': 'Unrecognized match type NUMERIC',
  '{"a":[{"numeric":["~",5]}]}': 'Unrecognized numeric range operator: ~',
  '{"a":[{"numeric":["constructor",5]}]}': 'Unrecognized numeric range operator: constructor',
  '{"a":[{"numeric":[">",0,">",0]}]}': 'Bad numeric range operator: >',
  '{"a":[{"numeric":[">",0,"<"]}]}': 'Value of < must be numeric',
  '{"a":[{"numeric":[">",5,"<",5]}]}': 'Bottom must be less than top',
  '{"a":[{"numeric":["=",5000000001]}]}': 'Value must be between -5.0E9 and 5.0E9, inclusive: 5000000001',
  '{"a":[{"numeric":["<",0.1234567]}]}': 'Only values upto 6 decimals are supported: 0.1234567',
  '{"a":[{"numeric":[">=",5000000000]}]}': 'Bottom must be less than top',
  '{"a":[{"numeric":["<",-5000000000]}]}': 'Bottom must be less than top',
  '{"$or":[{"a":[1]},{"b":{"prefix":["x"]}}]}': 'Unrecognized match type a',
  '{"$or":[{"a":[1]},{"regex":["x"]}]}': 'Unrecognized match type a',
  '{"a":[{"anything-but":5000000001}]}': 'Value must be between -5.0E9 and 5.0E9, inclusive: 5000000001',
  '{"a":[{"anything-but":["x",null]}]}': 'Inside anything but list, start|null|boolean is not supported.',
  '{"a":[{"anything-but":null}]}': 'Value of anything-but must be an array or single string/number value.',
  '{"a":[{"anything-but":[]}]}': 'Empty arrays are not allowed',
  '{"a":[{"anything-but":["x",1]}]}':
    'Inside anything but list, either all values are number or string, mixed type is not supported',
  '{"a":[{"anything-but":{"prefix":""}}]}': 'Null prefix/suffix not allowed',
  '{"a":[{"anything-but":{"suffix":[1]}}]}': 'prefix/suffix match pattern must be a string',
  '{"a":[{"anything-but":{"prefix":{"equals-ignore-case":"x"}}}]}':
    'Value of anything-but must be an array or single string/number value.',
  '{"a":[{"anything-but":{"equals-ignore-case":1}}]}':
    'Inside anything-but/equals-ignore-case list, number|start|null|boolean is not supported.',
  '{"a":[{"anything-but":{"cidr":"10.0.0.0/8"}}]}': 'Unsupported anything-but pattern: cidr',
}

for (const [pattern, reason] of Object.entries(reasons))
  test(`the invalid event pattern ${pattern} is rejected with a reason`, () => {
    assert.throws(
      () => readPattern(pattern),
      (error) =>
        error instanceof ApiError &&
        error.code === 'InvalidEventPatternException' &&
        error.message === `Event pattern is not valid. Reason: ${reason}`,
    )
  })

test('a malicious wildcard pattern is matched against 400,000 characters within a second', () => {
  const startedAtMs = performance.now()
  assert.equal(matches({ a: [{ wildcard: '*a*b*c*d*x' }] }, { a: 'abcd'.repeat(100_000) }), false)
  assert.ok(performance.now() - startedAtMs < 1000)
})

test('an event nested deeper than 1000 levels matches no event pattern', () => {
  assert.equal(flattenEvent(JSON.parse(`${'{"a":'.repeat(1001)}1${'}'.repeat(1001)}`)), undefined)
})

test('matching an event pattern against huge arrays is aborted within 5 seconds', () => {
  const half = Array.from({ length: 2000 }, (_, n) => (n % 2 === 0 ? { x: 1 } : { y: 1 }))
  const startedAtMs = performance.now()
  assert.throws(() => matches({ a: { x: [1] }, b: { x: [1], y: [1] } }, { a: half, b: half }), TooComplex)
  assert.ok(performance.now() - startedAtMs < 5000)
})
