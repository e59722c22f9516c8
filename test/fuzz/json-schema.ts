import fc from 'fast-check'

/** Creates values for a JSON Schema of the OpenAPI document. Most are valid; some are invalid at any depth. */

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly format?: string
}

/** Finds the schema of a reference. */
export type ResolveReference = (reference: string) => Schema

/** A placeholder for the id of something that an earlier reply named; `IdPool.fill` replaces it. */
export const idToken = (kind: string): fc.Arbitrary<string> => fc.nat(999).map((at) => `{{${kind}:${at}}}`)

/** Kinds of ids, as in their prefixes, by the names of parameters and fields. */
export const idKinds: Readonly<Record<string, string>> = {
  jobId: 'job',
  jobIds: 'job',
  sourceJobId: 'job',
  uploadId: 'upl',
  uploadIds: 'upl',
  upload_id: 'upl',
  webhookId: 'whk',
  deliveryId: 'whd',
  workflowId: 'wf',
  keyId: 'key',
  clientId: 'client',
  client_id: 'client',
  connectionId: 'conn',
  userId: 'acc',
  sessionId: 'ses',
  after: 'evt',
  cursor: 'cursor',
  before: 'cursor',
  key: 'object',
  token: 'token',
}

const maxDepth = 6

/** Values that reveal cases that the code does not handle. */
export const oddValues: readonly unknown[] = [
  ...[null, true, '', ' ', '0', '-1', 0, -1, 0.5, 1e21, Number.MAX_SAFE_INTEGER, [], {}, [[]], [null]],
  ...['\u0000', '\ud800', '\u202e', '%00', '%2e%2e%2f', '../../etc/passwd', '__proto__', 'constructor'],
  ...["'; DROP TABLE x; --", '{{x}}', 'a'.repeat(5000), '🦆'.repeat(600), '\r\nX-Injected: 1'],
  ...['http://127.0.0.1:1/', 'http://[::1]/', 'file:///etc/passwd', 'javascript:alert(1)', 'NaN', 'Infinity'],
  ...['9999-99-99T99:99:99Z', '2026-02-30', '1e400', '0x10', 'true', 'null', 'undefined', '[object Object]'],
  ...[
    { toString: 1 },
    { length: -1 },
    { $ref: '#' },
    { sealed: 'x' },
    Array.from({ length: 300 }, () => 'x'),
  ],
]
const oddValueArbitrary = fc.constantFrom(...oddValues)

/** @param name of the field or parameter, which tells whether it is an id. */
export function valueArbitrary(
  schema: Schema,
  lookup: ResolveReference,
  name = '',
  depth = 0,
): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 14, arbitrary: validValueArbitrary(schema, lookup, name, depth) },
    { weight: 1, arbitrary: oddValueArbitrary },
  )
}

function validValueArbitrary(
  schema: Schema,
  lookup: ResolveReference,
  name: string,
  depth: number,
): fc.Arbitrary<unknown> {
  if (depth > maxDepth) return fc.constant(null)
  if (schema.$ref) return validValueArbitrary(lookup(schema.$ref), lookup, name, depth + 1)
  if (schema.enum?.length) return fc.constantFrom(...schema.enum)
  if ('const' in schema) return fc.constant(schema.const)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices?.length)
    return fc.oneof(...choices.map((choice) => validValueArbitrary(choice, lookup, name, depth + 1)))
  if (schema.allOf?.length)
    return fc
      .tuple(...schema.allOf.map((schemaPart) => validValueArbitrary(schemaPart, lookup, name, depth + 1)))
      .map((objects) => Object.assign({}, ...objects))
  const [type = 'object'] = [schema.type ?? []].flat()
  switch (type) {
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number':
      return numberArbitrary(schema)
    case 'array':
      return fc.array(valueArbitrary(schema.items ?? {}, lookup, name, depth + 1), {
        minLength: Math.min(3, schema.minItems ?? 0),
        maxLength: 3,
      })
    case 'string':
      return stringArbitrary(schema, name)
    case 'null':
      return fc.constant(null)
    default:
      return objectArbitrary(schema, lookup, depth)
  }
}

function numberArbitrary({ minimum = -1000, maximum = 1_000_000 }: Schema): fc.Arbitrary<number> {
  const [least, most] = [Math.ceil(minimum), Math.floor(Math.max(minimum, maximum))]
  const bounds = [least, most, least - 1, most + 1]
  return fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: clamp(least), max: clamp(most) }) },
    { weight: 1, arbitrary: fc.constantFrom(...bounds) },
  )
}

const clamp = (value: number) => Math.min(2 ** 31 - 1, Math.max(-(2 ** 31), value))

function stringArbitrary(
  { format, minLength = 0, maxLength = 40 }: Schema,
  name: string,
): fc.Arbitrary<string> {
  const kind = idKinds[name]
  if (kind) return idToken(kind)
  if (format === 'date-time')
    return fc
      .date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString())
  if (format === 'uri' || /url$/i.test(name))
    return fc.constantFrom('{{receiver:0}}', 'https://a.invalid/x?y=z#f')
  if (format === 'email') return fc.constant('someone@example.com')
  const length = {
    minLength: Math.min(minLength, 40),
    maxLength: Math.max(minLength, Math.min(maxLength, 40)),
  }
  return fc.oneof(
    fc.constantFrom(
      'a',
      'png',
      'pdf',
      'webp',
      'convert',
      '@daily',
      'Europe/Berlin',
      'photo.png',
      'image/png',
    ),
    fc.string({ ...length, unit: 'grapheme' }),
  )
}

function objectArbitrary(schema: Schema, lookup: ResolveReference, depth: number): fc.Arbitrary<object> {
  const fields = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, one]) => [
      name,
      valueArbitrary(one, lookup, name, depth + 1),
    ]),
  )
  const required = (schema.required ?? []).filter((name) => name in fields)
  const ownFields = fc.record(fields, { requiredKeys: required })
  const { additionalProperties: additionalSchema } = schema
  const names = fc.constantFrom('a', 'quality', 'password', 'in', 'out', 'unknownField', '__proto__')
  const values =
    typeof additionalSchema === 'object'
      ? valueArbitrary(additionalSchema, lookup, '', depth + 1)
      : oddValueArbitrary
  const additionalProperties = fc.dictionary(names, values, {
    maxKeys: typeof additionalSchema === 'object' ? 3 : 1,
    noNullPrototype: true,
  })
  return fc
    .tuple(
      ownFields,
      fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: additionalProperties }),
    )
    .map(([known, extra]) => ({ ...extra, ...known }))
}
