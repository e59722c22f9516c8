// Generates api-types.ts, api-constants.ts and option-types.ts from the route contracts and the engines.
// Run `node lib/client/make-types.ts`; a test fails if the committed files differ from its output.
import { writeFile } from 'node:fs/promises'
import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { api } from '../../functions/routes/index.ts'
import { authEndpoints } from '../access/auth/endpoints/index.ts'
import { engines } from '../engines/index.ts'
import { errorCatalog } from '../error-catalog.ts'
import { createOpenApiDocument } from '../http/openapi/openapi.ts'
import { createOptionViews } from '../http/openapi/option-view.ts'
import { toolOperations } from '../model/operations.ts'
import { compactTypes } from './compact-types.ts'
import { makeOptionTypes } from './make-option-types.ts'
import { shareProperties } from './shared-properties.ts'

type Json = Readonly<Record<string, unknown>>

/** Returns the value that a reference within the document points to; other values are returned unchanged. */
type Resolve = (value: Json) => Json

const resolveIn =
  (document: object): Resolve =>
  (value) => {
    const { $ref } = value
    if (typeof $ref !== 'string') return value
    const names = $ref.slice('#/'.length).split('/')
    return names.reduce((node, name) => node[name] as Json, document as Json) // the document is JSON
  }

interface Parameter {
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly schema: Json
}

interface Operation {
  readonly summary?: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { content: Readonly<Record<string, { schema: Json }>> }
  readonly responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema?: Json }>> }>>
}

/** Keywords that are left out, because they do not affect the TypeScript type. */
const omittedKeywords = new Set([
  ...['pattern', 'format', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['propertyNames', 'example', 'examples', 'default', 'id', 'contentMediaType', 'contentEncoding'],
])

function simplify(value: unknown, isSchema = true): unknown {
  if (Array.isArray(value)) return value.map((item) => simplify(item))
  if (typeof value !== 'object' || value === null) return value
  if (isSchema && '$ref' in value) return simplifyReference(value)
  const entries = Object.entries(value).filter(([key]) => !isSchema || !omittedKeywords.has(key))
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, simplify(inner, !isSchema || key !== 'properties')]),
  )
}

/** Puts a reference that has a description into `allOf`: directly beside it, the text would create a separate type. */
function simplifyReference({ $ref, description }: Json): Json {
  const reference = { $ref: String($ref).replace('#/components/schemas/', '#/definitions/') }
  return description === undefined ? reference : { description, allOf: [reference] }
}

const createClosedObject = (properties: Json, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

function getParameters(operation: Operation, location: string): Json {
  const locatedParameters = operation.parameters.filter((parameter) => parameter.in === location)
  if (locatedParameters.length === 0) return {}
  const requiredNames = locatedParameters.filter((parameter) => parameter.required).map(({ name }) => name)
  return {
    [location]: createClosedObject(
      Object.fromEntries(locatedParameters.map(({ name, schema }) => [name, schema])),
      requiredNames,
    ),
  }
}

/**
 * Returns the schema of what the client returns: `data` of the response envelope, or the whole body if it has no
 * envelope.
 */
function getDataSchema({ responses }: Operation, resolve: Resolve): Json {
  const status = Object.keys(responses).find((code) => code.startsWith('2')) ?? '204'
  const schema = responses[status]?.content?.['application/json']?.schema ?? { type: 'null' }
  const properties = resolve(schema)['properties'] as Json | undefined // as in JSON Schema
  return (properties?.['data'] as Json | undefined) ?? schema // as in JSON Schema
}

const json = 'application/json'

function createOperationSchema(operation: Operation, resolve: Resolve): Json {
  const body = operation.requestBody?.content
  const bodySchema = body?.[json]?.schema ?? Object.values(body ?? {})[0]?.schema
  const properties = {
    ...getParameters(operation, 'path'),
    ...getParameters(operation, 'query'),
    ...(bodySchema && { body: bodySchema }),
    data: getDataSchema(operation, resolve),
  }
  const isOptional = (name: string) => {
    const { required } = resolve((properties as Record<string, Json>)[name] ?? {}) // all are schemas
    return name !== 'data' && name !== 'path' && (!Array.isArray(required) || required.length === 0)
  }
  const requiredNames = Object.keys(properties).filter((name) => !isOptional(name))
  return { ...createClosedObject(properties, requiredNames), description: operation.summary }
}

/** Returns options that are boolean in every engine: on the command line, they take no value. */
function findBooleanOptions(): readonly string[] {
  const optionViews = engines.flatMap(({ capabilities }) =>
    capabilities.flatMap(({ options }) => createOptionViews(options)),
  )
  const nonBooleanOptions = new Set(
    optionViews.filter(({ type }) => type !== 'boolean').map(({ name }) => name),
  )
  return [...new Set(optionViews.map(({ name }) => name))]
    .filter((name) => !nonBooleanOptions.has(name))
    .sort()
}

/** Returns the contents of the generated files. */
export async function makeTypes(): Promise<Readonly<Record<keyof typeof generatedFiles, string>>> {
  const document = createOpenApiDocument(api, { version: '', url: '/', authEndpoints })
  const resolve = resolveIn(document)
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries({ ...methods }).map(([method, created]) => {
      const operation = created as Operation // created by createOpenApiDocument
      const parameters = (operation.parameters ?? []).map(
        (parameter) => resolve({ ...parameter }) as unknown as Parameter,
      ) // references in a list of parameters point to parameters
      return [`${method.toUpperCase()} ${path}`, { ...operation, parameters }] as const
    }),
  )
  const events = Object.entries(document.webhooks ?? {}).map(([name, { post }]) => {
    const { requestBody } = post as Operation // webhooks are always POST
    return [name, requestBody?.content[json]?.schema ?? {}] as const
  })
  // The client returns only `data`, so the schemas of whole replies need no types.
  const definitions = Object.entries(document.components?.schemas ?? {}).filter(
    ([name]) => !name.endsWith('Reply'),
  )
  const rootSchema = createClosedObject({
    operations: createClosedObject(
      Object.fromEntries(operations.map(([name, one]) => [name, createOperationSchema(one, resolve)])),
    ),
    events: createClosedObject(Object.fromEntries(events)),
  })
  const schema = {
    ...(simplify(rootSchema) as Json), // still a schema
    definitions: shareProperties(
      Object.fromEntries(definitions.map(([name, one]) => [name, simplify(one) as Json])),
    ),
  }
  const banner = '// Generated by make-types.ts from the route contracts. Do not edit.'
  const types = await compile(schema as JSONSchema, 'Api', {
    bannerComment: banner,
    unreachableDefinitions: true,
    format: false,
  })
  const idempotentOperations = new Set(
    operations
      .filter(([, { parameters }]) => parameters.some(({ name }) => name === 'Idempotency-Key'))
      .map(([name]) => name),
  )
  const formOperations = operations
    .filter(([, { requestBody }]) => requestBody && !(json in requestBody.content))
    .map(([name]) => name)
  const list = (name: string, description: string, values: Iterable<string>) =>
    `/** ${description} */\nexport const ${name} = [\n${[...values].map((value) => `  '${value}',\n`).join('')}] as const\n`
  const facts = [
    banner,
    list('idempotentOperations', 'Operations that accept the header Idempotency-Key.', idempotentOperations),
    list(
      'booleanOptions',
      'Options that are boolean in every engine. On the command line, they take no value.',
      findBooleanOptions(),
    ),
    list('toolOperations', 'Tools that the method `tool` can run.', toolOperations),
    list('formOperations', 'Operations whose body is a form.', formOperations),
    `/** Error codes of the service. */\nexport type ErrorCode =\n${Object.keys(errorCatalog)
      .map((code) => `  | '${code}'\n`)
      .join('')}`,
  ].join('\n')
  const options = makeOptionTypes(
    '// Generated by make-types.ts from the options of the engines. Do not edit.',
  )
  return { types: `${compactTypes(types).trim()}\n`, facts, options }
}

export const generatedFiles = {
  types: new URL('api-types.ts', import.meta.url),
  facts: new URL('api-constants.ts', import.meta.url),
  options: new URL('option-types.ts', import.meta.url),
}

export async function writeTypes(): Promise<void> {
  const { types, facts, options } = await makeTypes()
  await writeFile(generatedFiles.types, types)
  await writeFile(generatedFiles.facts, facts)
  await writeFile(generatedFiles.options, options)
}

if (import.meta.main) await writeTypes()
