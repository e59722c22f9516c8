import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { listJobs } from '../../functions/routes/list-jobs.ts'
import { presignUpload } from '../../functions/routes/presign-upload.ts'
import { engines } from '../../lib/engines/index.ts'
import { toolOptions } from '../../lib/engines/pdf/tools/options.ts'
import { MetadataOptions } from '../../lib/engines/shared/metadata/options.ts'
import { AppError } from '../../lib/errors.ts'
import { taskOperations } from '../../lib/tasks/index.ts'
import { requestHeaders } from '../../lib/transfer/request-headers.ts'
import { sortKeys } from '../../lib/validation/canonical-json.ts'
import { component } from '../../lib/validation/component.ts'
import { parseInput, parseJson } from '../../lib/validation/parse-input.ts'

type MessagesByField = Readonly<Record<string, string>>

/** Returns the error messages for a value, by field. */
function listMessagesByField(schema: z.ZodType, value: unknown): MessagesByField {
  try {
    parseInput(schema, value, 'body')
  } catch (error) {
    assert.ok(error instanceof AppError)
    // Created by the function under test.
    const { errors, field } = error.details as { errors: { field: string; error: string }[]; field: string }
    const sentence = `${errors[0]?.field}: ${errors[0]?.error}`
    assert.equal(error.message, sentence.endsWith('?') ? sentence : `${sentence}.`)
    assert.equal(field, errors[0]?.field)
    return Object.fromEntries(errors.map((one) => [one.field, one.error]))
  }
  return {}
}

const upload = presignUpload.body?.schema ?? z.never()
const query = listJobs.query ?? z.never()
const namedSchema = component(
  'NamedInTest',
  z.object({ side: component('NamedSideInTest', z.enum(['left', 'right'])), count: z.int().min(0) }),
)
const sentences: readonly [caseName: string, schema: z.ZodType, value: unknown, expected: MessagesByField][] =
  [
    [
      'fields of a schema that is named in the API document',
      namedSchema,
      { side: 'top', count: -1 },
      {
        side: 'expected left or right, got "top"',
        count: 'expected a whole number of at least 0, got -1',
      },
    ],
    [
      'missing fields',
      upload,
      {},
      {
        filename: 'it is missing; expected a text of 1 to 1024 characters',
        size: 'it is missing; expected a whole number of at least 0',
      },
    ],
    [
      'unknown and misspelled fields',
      upload,
      { filename: 'a', size: 1, ContentType: 'a/b', extra: 1 },
      {
        ContentType: 'unknown field; did you mean contentType?',
        extra: 'unknown field; expected one of filename, contentType, size, sha256, method. Remove it',
      },
    ],
    [
      'invalid names and values of request headers, without secret values',
      requestHeaders,
      { Host: 'x', 'a b': 'x', 'x-a': 'a\nb', Authorization: 'ä', Cookie: 'ä' },
      {
        Host: 'expected another header: the service sets this one itself',
        'a b': 'expected a header name of at most 100 characters',
        'x-a': 'expected ASCII without line breaks, of at most 4000 characters, got "a\\nb"',
        Authorization: 'expected ASCII without line breaks, of at most 4000 characters',
        Cookie: 'expected ASCII without line breaks, of at most 4000 characters',
      },
    ],
    ['a body that is no object', upload, [], { body: 'expected an object, got a list' }],
    [
      'enums, limits, times and lists',
      query,
      { limit: '1000', sort: 'x', createdAfter: 'yesterday', status: 'failed,over' },
      {
        limit: 'expected a whole number from 1 to 100, got "1000"',
        sort: 'expected -createdAt or createdAt, got "x"',
        createdAfter: 'expected a time such as 2026-01-31T12:00:00Z, got "yesterday"',
        status:
          'expected one or several of pending, queued, processing, completed, failed, cancelled or expired, got "failed,over"',
      },
    ],
    [
      'colors and amounts',
      toolOptions.watermark,
      { watermarkColor: 'nope', watermarkOpacity: '3', pages: 'x' },
      {
        watermarkColor:
          'expected a color such as #ff0000, or black, white, gray, red, green, blue, yellow, orange or purple, got "nope"',
        watermarkOpacity: 'expected a number from 0.01 to 1, got "3"',
        pages: 'expected page numbers and ranges such as 1-5,10,15-last, got "x"',
      },
    ],
    [
      'page numbers sent as a number in JSON',
      toolOptions['extract-pdf-pages'],
      { pages: 1.5 },
      { pages: 'expected page numbers and ranges such as 1-5,10,15-last, got 1.5' },
    ],
    [
      'missing page numbers',
      toolOptions['extract-pdf-pages'],
      {},
      { pages: 'it is missing; expected page numbers and ranges such as 1-5,10,15-last' },
    ],
    [
      'a URL, without its credentials, path and query',
      z.object({ url: z.url({ protocol: /^https$/ }), webhookUrl: z.url() }),
      { url: 'ftp://user:marmalade@a.example/x?t=marmalade', webhookUrl: 'a.example/x?t=marmalade' },
      {
        url: 'expected a URL such as https://example.com/, got "ftp://a.example"',
        webhookUrl: 'expected a URL such as https://example.com/, got "a.example"',
      },
    ],
    [
      'a password, without its value',
      toolOptions['decrypt-pdf'],
      { password: 5 },
      { password: 'expected a text' },
    ],
    [
      'a text with several errors, reported once',
      MetadataOptions,
      { author: `a\nb${'x'.repeat(3000)}`, strip: 'perhaps' },
      {
        author: `expected a text of at most 2000 characters, got "a\\nb${'x'.repeat(75)}…" with 3003 characters`,
        strip: 'expected true or false, got "perhaps"',
      },
    ],
    [
      'a field of the alternative that fits best',
      z.object({ items: z.union([z.string(), z.array(z.object({ target: z.enum(['a', 'b']) }))]) }),
      { items: [{ target: 'a' }, { target: 'c' }] },
      { 'items.1.target': 'expected a or b, got "c"' },
    ],
  ]
for (const [caseName, schema, value, expectedMessage] of sentences) {
  test(`the error for an invalid value says what was expected: ${caseName}`, () => {
    assert.deepEqual(listMessagesByField(schema, value), expectedMessage)
  })
}

/** Terms of zod, which are for developers. */
const developerTerms = /Invalid|received|undefined|Too (?:big|small)|Unrecognized|NaN|pattern|expected:/

test('no error about input contains technical terms of zod', () => {
  const wrongValues = ['', 'x'.repeat(3000), '\n', -1e12, 0.5, {}, [], [{}], null, true, '2026-13-45']
  const schemas: [string, z.ZodObject][] = [
    ...engines.flatMap(({ id, capabilities }) =>
      [...new Set(capabilities.map(({ options }) => options))].map((options): [string, z.ZodObject] => [
        id,
        options,
      ]),
    ),
    ...taskOperations.map(({ name, fields }): [string, z.ZodObject] => [name, fields]),
    ['metadata', MetadataOptions],
    // Both schemas are objects with fields.
    ['uploads', upload as z.ZodObject],
    ['list', query as z.ZodObject],
  ]
  // Many conversions share options, which are checked only once.
  const checkedSchemas = new Set<unknown>()
  for (const [name, schema] of schemas) {
    for (const field of Object.keys(schema.shape)) {
      if (checkedSchemas.has(schema.shape[field])) continue
      checkedSchemas.add(schema.shape[field])
      for (const value of wrongValues) {
        const error = listMessagesByField(schema, { [field]: value })[field] ?? ''
        assert.doesNotMatch(error.replace(/, got .*/s, ''), developerTerms, `${name}: ${field}`)
      }
    }
    for (const error of Object.values(listMessagesByField(schema, {})))
      assert.doesNotMatch(error, developerTerms, name)
  }
})

test('an error about 100 invalid fields lists only 20 of the fields', () => {
  const fields = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`field-${at}`, 1]))
  assert.equal(Object.keys(listMessagesByField(z.strictObject({}), fields)).length, 20)
})

test('the keys of nested objects are sorted, so that equal values have the same JSON', () => {
  const value = { b: 1, a: { d: [{ y: 1, x: 2 }], c: null } }
  const otherValue = { a: { c: null, d: [{ x: 2, y: 1 }] }, b: 1 }
  assert.equal(JSON.stringify(sortKeys(value)), JSON.stringify(sortKeys(otherValue)))
  assert.deepEqual(sortKeys(value), value)
})

test('a long value is truncated in an error, but not within a character', () => {
  const list = z.strictObject({ a: z.int() })
  assert.equal(
    listMessagesByField(list, { a: 'x'.repeat(78) })['a'],
    `expected a whole number, got "${'x'.repeat(78)}"`,
  )
  assert.equal(
    listMessagesByField(list, { a: 1e16 })['a'],
    'expected a whole number and at most 9007199254740991, got 10000000000000000',
  )
  const long = `${'x'.repeat(78)}😀`
  assert.equal(
    listMessagesByField(list, { a: long })['a'],
    `expected a whole number, got "${'x'.repeat(78)}…" with 80 characters`,
  )
  assert.equal(
    listMessagesByField(list, { a: Array(50).fill(12) })['a'],
    `expected a whole number, got [${'12,'.repeat(50).slice(0, 79)}…`,
  )
})

test('JSON in a form field with duplicate names or unpaired surrogates is refused', () => {
  const options = z.record(z.string(), z.unknown())
  const parse = (text: string) => parseJson(options, text, 'options', 'a JSON object')
  assert.throws(() => parse('{"quality":1,"quality":2}'), {
    details: { field: 'quality' },
    message: /expected this field once, got it twice/,
  })
  assert.throws(() => parse('{"title":"\\ud83d"}'), {
    details: { field: 'title' },
    message: /unpaired surrogate/,
  })
})

test('the error for invalid or too deeply nested JSON in a form field names the field', () => {
  const options = z.record(z.string(), z.unknown())
  const parse = (text: string) =>
    parseJson(options, text, 'options', 'a JSON object such as {"quality":"high"}')
  assert.deepEqual(parse('{"a":[[1]],"b":"[["}'), { a: [[1]], b: '[[' })
  const createDeepJson = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  assert.deepEqual(parse(createDeepJson(100)), JSON.parse(createDeepJson(100)))
  for (const wrongJson of ['{', '[]', createDeepJson(101), createDeepJson(200_000)])
    assert.throws(() => parse(wrongJson), {
      code: 'INVALID_INPUT',
      message: 'options: expected a JSON object such as {"quality":"high"}.',
    })
})
