import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as z from 'zod'
import { compatContracts } from '../../functions/compat-v2/contracts.ts'
import { routes } from '../../functions/routes/index.ts'
import { engines } from '../../lib/engines/index.ts'
import { AppError } from '../../lib/errors.ts'
import { parseFormFields } from '../../lib/http/body/body.ts'
import { checkFieldName, formLimits } from '../../lib/http/body/form-limits.ts'
import { ClientFrame } from '../../lib/live/frames.ts'
import { taskOperations } from '../../lib/tasks/index.ts'
import { parseTaskSpec } from '../../lib/tasks/operation.ts'
import { parseJsonBody } from '../../lib/validation/json-body.ts'
import { findJsonExcess, maxJsonDepth, maxJsonValues } from '../../lib/validation/json-shape.ts'
import { createNamedValues, createOptionsSchema, maxLengths, text } from '../../lib/validation/maxima.ts'
import { listUnboundedFields } from '../support/unbounded-fields.ts'

describe('maximum lengths of client input', () => {
  test('every string, list and record has a maximum in the requests of each endpoint', () => {
    const parts = [...routes, ...compatContracts].flatMap(({ method, path, params, query, body }) =>
      [params, query, body?.schema].flatMap((schema) =>
        schema ? listUnboundedFields(schema, `${method} ${path}`) : [],
      ),
    )
    assert.deepEqual(parts, [])
  })

  test('every string, list and record has a maximum in the fields of tasks', () => {
    assert.ok(taskOperations.length > 20)
    assert.deepEqual(
      taskOperations.flatMap(({ name, fields }) => listUnboundedFields(fields, name)),
      [],
    )
  })

  test('every string, list and record has a maximum in the options of engines', () => {
    const options = engines.flatMap(({ id, capabilities }) =>
      capabilities.flatMap((capability) =>
        listUnboundedFields(capability.options, `${id} ${capability.operation}`),
      ),
    )
    assert.deepEqual([...new Set(options)], [])
  })

  test('every string, list and record has a maximum in the frames of WebSocket clients', () => {
    assert.deepEqual(listUnboundedFields(ClientFrame), [])
  })

  test('listUnboundedFields finds the strings, lists and records of a schema that have no maximum', () => {
    const schema = z.object({
      plain: z.string(),
      listed: z.array(z.boolean()).optional(),
      named: z.record(z.string().max(3), z.int()),
      open: z.unknown(),
      pattern: z.string().regex(/^a+$/),
      half: z.string().regex(/^a{1,3}/),
      email: z.email(),
      whole: z.string().regex(/^[a-z+]{1,3}$/),
      limited: createNamedValues(text('id'), text('name')),
    })
    assert.deepEqual(listUnboundedFields(schema), [
      '.plain: string',
      '.listed: list',
      '.named: record',
      '.open: unknown',
      '.pattern: string',
      '.half: string',
      '.email: string',
    ])
  })
})

const getErrorCode = (action: () => unknown): string | undefined => {
  try {
    action()
    return undefined
  } catch (error) {
    assert.ok(error instanceof AppError, String(error))
    return `${error.code}: ${error.message}`
  }
}

describe('requests that exceed a maximum', () => {
  test('a request is rejected for too many or too long options', () => {
    const manyOptions = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`o${at}`, 1]))
    assert.match(
      getErrorCode(() => parseTaskSpec(manyOptions)) ?? '',
      /^INVALID_INPUT: options: expected at most 200 names/,
    )
    const long = { a: 'x'.repeat(maxLengths.list) }
    assert.match(getErrorCode(() => parseTaskSpec(long)) ?? '', /at most 65536 characters of JSON/)
    assert.equal(createOptionsSchema().safeParse({ a: 'x'.repeat(1000) }).success, true)
  })

  test('a request with too many JSON values or levels is refused before the JSON is parsed', () => {
    const values = `[${'1,'.repeat(maxJsonValues)}1]`
    assert.match(getErrorCode(() => parseJsonBody(values)) ?? '', /^INVALID_REQUEST: The body is too large/)
    // The limit applies even to text that is not JSON.
    assert.match(getErrorCode(() => parseJsonBody('['.repeat(maxJsonDepth + 1))) ?? '', /nested too deeply/)
    assert.equal(findJsonExcess(JSON.stringify({ a: '[{,"\\'.repeat(maxJsonValues) })), undefined)
    assert.equal(findJsonExcess(`"${'\\"'.repeat(100_000)}`), undefined)
  })

  test('a form with too many fields, a field name over 200 characters or an unnamed field is rejected', () => {
    const fields = Array.from({ length: formLimits.fields + 1 }, (_, at) => `f${at}=1`).join('&')
    assert.match(
      getErrorCode(() => parseFormFields(fields)) ?? '',
      /^INVALID_REQUEST: The form has too many parts/,
    )
    assert.match(
      getErrorCode(() => checkFieldName('a'.repeat(201))) ?? '',
      /a field name of at most 200 characters, got 201/,
    )
    assert.match(getErrorCode(() => checkFieldName(undefined)) ?? '', /has no name/)
  })
})

test('a JSON body with a million escape sequences in a string does not exceed the request limits', () => {
  for (const sequence of ['\\"', '\\u00e9', '\\\\']) {
    const json = `{"a":"${sequence.repeat(1_000_000)}","b":1}`
    assert.deepEqual(parseJsonBody(json), JSON.parse(json))
  }
})
