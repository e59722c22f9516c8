// Generates api-types.ts and api-constants.ts from the route contracts: `node lib/client/make-types.ts`. A test
// compares them with the committed files, so that the API cannot change without its client.
import { writeFile } from 'node:fs/promises'
import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { api } from '../../functions/routes/index.ts'
import { engines } from '../engines/index.ts'
import { errorCatalog } from '../error-catalog.ts'
import { openApiDocument } from '../http/openapi/openapi.ts'
import { optionViews } from '../http/openapi/option-view.ts'
import { toolOperations } from '../model/operations.ts'

type Json = Readonly<Record<string, unknown>>

interface Operation {
  readonly summary?: string
  readonly parameters?: readonly { in: string; name: string; required?: boolean; schema: Json }[]
  readonly requestBody?: { content: Readonly<Record<string, { schema: Json }>> }
  readonly responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema?: Json }>> }>>
}

/** Keywords that narrow a value without changing its TypeScript type. */
const omittedKeywords = new Set([
  ...['pattern', 'format', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['propertyNames', 'example', 'examples', 'default', 'id', 'contentMediaType', 'contentEncoding'],
])

function simplify(value: unknown, isSchema = true): unknown {
  if (Array.isArray(value)) return value.map((one) => simplify(one))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key]) => !isSchema || !omittedKeywords.has(key))
  return Object.fromEntries(
    entries.map(([key, inner]) =>
      key === '$ref' && isSchema
        ? [key, String(inner).replace('#/components/schemas/', '#/definitions/')]
        : [key, simplify(inner, !isSchema || key !== 'properties')],
    ),
  )
}

const closedObject = (properties: Json, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

function parametersOf(operation: Operation, location: string): Json {
  const located = (operation.parameters ?? []).filter((parameter) => parameter.in === location)
  if (located.length === 0) return {}
  const required = located.filter((parameter) => parameter.required).map(({ name }) => name)
  return {
    [location]: closedObject(Object.fromEntries(located.map(({ name, schema }) => [name, schema])), required),
  }
}

/** The schema of what the client returns: `data` of the response envelope, or the whole body if there is none. */
function dataSchemaOf({ responses }: Operation): Json {
  const status = Object.keys(responses).find((code) => code.startsWith('2')) ?? '204'
  const schema = responses[status]?.content?.['application/json']?.schema
  const properties = schema?.['properties'] as Json | undefined // as in JSON Schema
  return (properties?.['data'] as Json | undefined) ?? schema ?? { type: 'null' } // as in JSON Schema
}

const json = 'application/json'

function createOperationSchema(operation: Operation): Json {
  const body = operation.requestBody?.content
  const bodySchema = body?.[json]?.schema ?? Object.values(body ?? {})[0]?.schema
  const properties = {
    ...parametersOf(operation, 'path'),
    ...parametersOf(operation, 'query'),
    ...(bodySchema && { body: bodySchema }),
    data: dataSchemaOf(operation),
  }
  const optional = (name: string) => {
    const { required } = (properties as Record<string, Json>)[name] ?? {} // all are schemas
    return name !== 'data' && name !== 'path' && (!Array.isArray(required) || required.length === 0)
  }
  const required = Object.keys(properties).filter((name) => !optional(name))
  return { ...closedObject(properties, required), description: operation.summary }
}

/** Names of types that several responses share, by the operation that returns them. */
const names: Readonly<Record<string, string>> = {
  'GET /v1/status/{jobId}': 'Job',
  'GET /v1/jobs/{jobId}': 'WholeJob',
  'GET /v1/formats/{formatId}': 'Format',
  'GET /v1/webhooks/{webhookId}': 'Webhook',
  'GET /v1/workflows/{workflowId}': 'Workflow',
}

/** Replaces named schemas with references. */
function replaceWithRefs(value: unknown, named: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => replaceWithRefs(one, named))
  if (typeof value !== 'object' || value === null) return value
  const name = named.get(JSON.stringify(value))
  if (name) return { $ref: `#/definitions/${name}` }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaceWithRefs(inner, named)]))
}

/** Options that are boolean in every engine: the command line takes no value for them. */
function findBooleanOptions(): readonly string[] {
  const views = engines.flatMap(({ capabilities }) =>
    capabilities.flatMap(({ options }) => optionViews(options)),
  )
  const nonBooleanOptions = new Set(views.filter(({ type }) => type !== 'boolean').map(({ name }) => name))
  return [...new Set(views.map(({ name }) => name))].filter((name) => !nonBooleanOptions.has(name)).sort()
}

/** Returns the contents of both files. */
export async function makeTypes(): Promise<{ readonly types: string; readonly facts: string }> {
  const document = openApiDocument(api, { version: '', url: '/' })
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries({ ...methods }).map(
      // From openApiDocument.
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation as Operation] as const,
    ),
  )
  const dataSchemas = new Map<string, unknown>(
    operations.map(([name, operation]) => [name, simplify(dataSchemaOf(operation))]),
  )
  const named = Object.entries(names).map(([name, title]) => [title, dataSchemas.get(name)] as const)
  const events = Object.entries(document.webhooks ?? {}).map(([name, { post }]) => {
    const { requestBody } = post as Operation // webhooks are always POST
    return [name, requestBody?.content[json]?.schema ?? {}] as const
  })
  const rootSchema = {
    ...closedObject({
      operations: closedObject(
        Object.fromEntries(operations.map(([name, one]) => [name, createOperationSchema(one)])),
      ),
      events: closedObject(Object.fromEntries(events)),
    }),
    definitions: document.components?.schemas,
  }
  const titlesBySchema = new Map(named.map(([title, schema]) => [JSON.stringify(schema), title]))
  const schema = replaceWithRefs(simplify(rootSchema), titlesBySchema) as JSONSchema // still a schema
  // All of these are still schemas.
  const definitions = { ...schema.definitions, ...Object.fromEntries(named) } as JSONSchema['definitions']
  const completeSchema = { ...schema, definitions } as JSONSchema
  const banner = '// Generated by make-types.ts from the route contracts. Do not edit.'
  const types = await compile(completeSchema, 'Api', {
    bannerComment: banner,
    unreachableDefinitions: true,
    format: false,
  })
  const idempotentOperations = new Set(
    operations
      .filter(([, { parameters }]) => parameters?.some(({ name }) => name === 'Idempotency-Key'))
      .map(([name]) => name),
  )
  const formOperations = operations
    .filter(([, { requestBody }]) => requestBody && !(json in requestBody.content))
    .map(([name]) => name)
  const list = (name: string, description: string, values: Iterable<string>) =>
    `/** ${description} */\nexport const ${name} = [\n${[...values].map((value) => `  '${value}',\n`).join('')}] as const\n`
  const facts = [
    banner,
    list('idempotentOperations', 'Operations that take an Idempotency-Key.', idempotentOperations),
    list('booleanOptions', 'Boolean options.', findBooleanOptions()),
    list('toolOperations', 'Operations that `tool` can run.', toolOperations),
    list('formOperations', 'Operations whose body is a form.', formOperations),
    `/** Error codes of the service. */\nexport type ErrorCode =\n${Object.keys(errorCatalog)
      .map((code) => `  | '${code}'\n`)
      .join('')}`,
  ].join('\n')
  return { types: `${types.trim()}\n`, facts }
}

export const generatedFiles = {
  types: new URL('api-types.ts', import.meta.url),
  facts: new URL('api-constants.ts', import.meta.url),
}

export async function writeTypes(): Promise<void> {
  const { types, facts } = await makeTypes()
  await writeFile(generatedFiles.types, types)
  await writeFile(generatedFiles.facts, facts)
}

if (import.meta.main) await writeTypes()
