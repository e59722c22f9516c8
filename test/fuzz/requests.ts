import fc from 'fast-check'
import {
  idKinds,
  idToken,
  oddValues,
  type ResolveReference,
  type Schema,
  valueArbitrary,
} from './json-schema.ts'

/** Makes requests from the OpenAPI document: changed examples, and bodies made from the schemas. */

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema?: Schema
}

export interface Operation {
  readonly id: string
  readonly method: string
  /** Path such as `/v1/jobs/{jobId}`. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly bodies: readonly { readonly type: string; readonly schema: Schema; readonly example?: unknown }[]
}

/** Names of the clients that send the requests; see `senders.ts`. */
export const senderNames = [
  'anonymous',
  'other',
  'manager',
  'reader',
  'admin',
  'unauthenticated',
  'wrong',
] as const
export type SenderName = (typeof senderNames)[number]

export interface FuzzRequest {
  readonly operation: Operation
  readonly sender: SenderName
  readonly params: Readonly<Record<string, string>>
  readonly query: readonly (readonly [string, string])[]
  readonly headers: Readonly<Record<string, string>>
  readonly body?: { readonly type: string; readonly value: unknown } | undefined
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}
interface DocumentedOperation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: Schema; readonly example?: unknown; readonly examples?: Examples }>
    >
  }
}
type Examples = Readonly<Record<string, { readonly value: unknown }>>

const toDocument = (document: object) => document as ApiDocument // made by this project

/** Sign-in is left out: its rate limits by IP address would refuse nearly every request. */
export const listOperations = (document: object): Operation[] =>
  Object.entries(toDocument(document).paths)
    .filter(([path]) => !path.startsWith('/v1/auth/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => ({
        id: operationId,
        method: method.toUpperCase(),
        path,
        parameters,
        bodies: Object.entries(requestBody?.content ?? {}).map(([type, { schema, example, examples }]) => ({
          type,
          schema,
          example: example ?? Object.values(examples ?? {})[0]?.value,
        })),
      })),
    )

/** Operations that start work, which takes longer than a request. */
const workStartPattern =
  /^post.*(?:Convert|ConvertMerge|ConvertBatch|Jobs|Retry|ImportUrl|Import|Zip|Run|Test|Replay|Redeliver)$/

/** @param document with inlined parameters and responses. */
export function requestArbitrary(document: object): fc.Arbitrary<FuzzRequest> {
  const lookup: ResolveReference = (reference) =>
    toDocument(document).components.schemas[reference.replace('#/components/schemas/', '')] ?? {}
  return fc.oneof(
    ...listOperations(document).map((operation) => ({
      weight: workStartPattern.test(operation.id) ? 1 : 8,
      arbitrary: operationArbitrary(operation, lookup),
    })),
  )
}

/** Chooses a sender, usually one that is allowed to send the request. */
function chooseSender(path: string): fc.Arbitrary<SenderName> {
  const isAdminPath = path.startsWith('/v1/admin')
    ? (['admin'] as const)
    : /^\/v1\/(?:account|api-keys|oauth\/clients)/.test(path)
      ? (['manager', 'manager', 'admin'] as const)
      : (['anonymous', 'anonymous', 'manager'] as const)
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...isAdminPath) },
    { weight: 1, arbitrary: fc.constantFrom(...senderNames) },
  )
}

const createHeader = (name: string, ...values: readonly string[]) =>
  fc.constantFrom(...values).map((value) => ({ [name]: value }))
const extraHeaders = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  {
    weight: 4,
    arbitrary: fc.oneof(
      createHeader('prefer', 'wait=0', 'wait=1', 'wait=-1', 'wait=x', 'respond-async'),
      createHeader('idempotency-key', 'a', 'b', '"quoted"', '', 'x'.repeat(256), 'ü'),
      createHeader(
        'accept',
        'application/json',
        'application/problem+json',
        'text/html',
        'image/png',
        '*/*;q=0',
        'x',
      ),
      createHeader('accept-encoding', 'gzip', 'br', 'identity;q=0', '*;q=0', 'gzip;q=x'),
      createHeader('if-none-match', '*', '"x"', 'W/"x"', 'x'),
      createHeader('last-event-id', '0', '-1', 'x', '99999999999999999999'),
      createHeader(
        'content-type',
        'text/plain',
        'application/json; charset=utf-16',
        'x',
        'multipart/form-data',
      ),
      createHeader('content-encoding', 'gzip', 'br', 'x'),
      createHeader('origin', 'https://shop.example', 'null', 'x'),
      createHeader('x-owner-token', 'x', 'anon_01M8GX6EN24AFB0MDD2WGAQA75.x', ''),
      createHeader('authorization', 'Bearer x', 'Basic eDp5', 'Bearer', 'x'),
    ),
  },
)

function operationArbitrary(operation: Operation, lookup: ResolveReference): fc.Arbitrary<FuzzRequest> {
  const parametersIn = (location: Parameter['in']) =>
    operation.parameters.filter((parameter) => parameter.in === location)
  const params = fc.record(
    Object.fromEntries(
      parametersIn('path').map((parameter) => [parameter.name, pathValueArbitrary(parameter, lookup)]),
    ),
  )
  const queries = parametersIn('query').map((parameter) =>
    fc
      .tuple(fc.integer({ min: 1, max: 10 }), valueArbitrary(parameter.schema ?? {}, lookup, parameter.name))
      .map(([chance, value]) =>
        parameter.required || chance <= 3 ? [[parameter.name, asText(value)] as const] : [],
      ),
  )
  return fc.record({
    operation: fc.constant(operation),
    sender: chooseSender(operation.path),
    params,
    query: fc.tuple(...queries).map((lists) => lists.flat()),
    headers: extraHeaders,
    body: bodyArbitrary(operation, lookup),
  })
}

const asText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

function pathValueArbitrary(
  { name, schema = {} }: Parameter,
  lookup: ResolveReference,
): fc.Arbitrary<string> {
  const kind = idKinds[name]
  const usualValue = kind ? idToken(kind) : valueArbitrary(schema, lookup, name).map(asText)
  const texts = oddValues.filter((value) => typeof value === 'string' && value !== '')
  return fc.oneof(
    { weight: 12, arbitrary: usualValue },
    { weight: 1, arbitrary: fc.constantFrom(...(texts as string[])) },
  )
}

function bodyArbitrary({ bodies }: Operation, lookup: ResolveReference): fc.Arbitrary<FuzzRequest['body']> {
  if (bodies.length === 0)
    return fc.oneof(
      { weight: 20, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constant({ type: 'application/json', value: { unexpected: true } }) },
    )
  return fc.oneof(
    ...bodies.flatMap(({ type, schema, example }) => {
      const generatedValue = valueArbitrary(schema, lookup)
      const values =
        example === undefined ? generatedValue : fc.oneof(changedExampleArbitrary(example), generatedValue)
      return [
        { weight: 12, arbitrary: values.map((value) => ({ type, value })) },
        { weight: 1, arbitrary: brokenBodyArbitrary(type) },
      ]
    }),
    { weight: 1, arbitrary: fc.constant(undefined) },
  )
}

const brokenBodyArbitrary = (type: string) =>
  fc
    .constantFrom(
      '',
      '{',
      '{"a":',
      '[1,2',
      'null',
      '"x"',
      '\u0000',
      '{"a":1,"a":2}',
      '['.repeat(5000),
      '--x\r\n',
      'a=%zz&&&=',
    )
    .map((text) => ({ type, value: new RawBody(text) }))

/** A body that is sent without encoding it. */
export class RawBody {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const examplePattern = /^(job|upl|whk|whd|wf|run|key|client|conn|acc|ses|evt)_[0-9A-Z]{26}$/

/** Generates an example with ids of this run and up to two changes. */
function changedExampleArbitrary(example: unknown): fc.Arbitrary<unknown> {
  const change = fc.record({
    at: fc.nat(40),
    how: fc.constantFrom('delete', 'replace', 'add', 'wrap'),
    value: fc.constantFrom(...oddValues),
  })
  const changes = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.array(change, { minLength: 1, maxLength: 2 }) },
  )
  return fc.tuple(fc.nat(999), changes).map(([seed, list]) => {
    const value = replaceIdsWithTokens(example, seed)
    for (const one of list) applyChange(value, structuredClone(one))
    return value
  })
}

function replaceIdsWithTokens(value: unknown, seed: number): unknown {
  if (typeof value === 'string') {
    const [, kind] = examplePattern.exec(value) ?? []
    if (kind) return `{{${kind}:${seed}}}`
    return value.startsWith('https://www.example.com') ? '{{receiver:0}}' : value
  }
  if (Array.isArray(value)) return value.map((item, at) => replaceIdsWithTokens(item, seed + at))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, replaceIdsWithTokens(one, seed)]),
  )
}

type Change = { readonly at: number; readonly how: string; readonly value: unknown }

/** Changes the field with the number `at`, counted through the whole value. */
function applyChange(root: unknown, { at, how, value }: Change): void {
  const fields = [...walkFields(root)]
  const field = fields[at % Math.max(1, fields.length)]
  if (!field) return
  const { parent, name } = field
  if (how === 'delete') delete parent[name]
  else if (how === 'replace') parent[name] = value
  else if (how === 'add') parent['unknownField'] = value
  else parent[name] = [parent[name], parent[name]]
}

function* walkFields(value: unknown): Generator<{ parent: Record<string, unknown>; name: string }> {
  if (typeof value !== 'object' || value === null) return
  const parent = value as Record<string, unknown> // also an array, whose names are numbers
  for (const [name, one] of Object.entries(parent)) {
    yield { parent, name }
    yield* walkFields(one)
  }
}
