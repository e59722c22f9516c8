// A snapshot of what clients rely on, in addition to the types in lib/client/api-types.ts: run `node
// test/functions/api-snapshot.ts` to update api-snapshot.txt after a deliberate change.
import { writeFile } from 'node:fs/promises'
import * as z from 'zod'
import { routes } from '../../functions/routes/index.ts'
import type { AnyContract } from '../../lib/http/contract.ts'
import { unnamedMetadata } from '../../lib/validation/component.ts'

export const snapshotFile = new URL('api-snapshot.txt', import.meta.url)

function describeOperation({
  method,
  path,
  access,
  body,
  reply,
  errors = [],
  ...otherArgs
}: AnyContract): Readonly<Record<string, readonly unknown[]>> {
  const { scopes, anonymous = false, ...wider } = access
  return {
    [method]: [path],
    status: [reply.status, ...Object.keys(reply.otherStatuses ?? {}), reply.form ?? 'envelope'],
    of: [reply.contentType ?? 'JSON'],
    headers: reply.headers ?? [],
    kept: [...(reply.etag ? ['etag'] : []), reply.cacheControl ?? '', otherArgs.cacheKey ? 'in memory' : ''],
    for: [...scopes, ...(anonymous === false ? [] : [`anonymous=${anonymous}`]), ...Object.keys(wider)],
    accepted: [...(body?.accepts ?? []), ...Object.keys(body?.files ?? {}).map((name) => `file=${name}`)],
    also: [
      ...(otherArgs.idempotent ? ['idempotent'] : []),
      ...(otherArgs.issuesIdentity ? ['identity'] : []),
      ...(typeof otherArgs.errorFormat === 'string' ? [`errors of ${otherArgs.errorFormat}`] : []),
    ],
    errors,
    examples: Object.keys(body?.examples ?? {}).map((name) => JSON.stringify(name)),
    path: describeBounds(otherArgs.params),
    query: describeBounds(otherArgs.query),
    body: describeBounds(body?.schema),
  }
}

/** Constraints of a value, in addition to its type. */
const bounds = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength', 'pattern'],
  ...['minItems', 'maxItems', 'default', 'const', 'format', 'additionalProperties', 'required'],
]

/**
 * Lists the constraints of each field, such as `name.maxLength=64`; `[]` means every array element, `|` every
 * alternative.
 */
function describeBounds(schema: z.ZodType | undefined): string[] {
  if (!schema) return []
  return walk(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', metadata: unnamedMetadata }), '')
}

function walk(node: unknown, at: string): string[] {
  if (typeof node !== 'object' || node === null) return []
  const schema = node as Readonly<Record<string, unknown>>
  const limits = bounds
    .filter((name) => schema[name] !== undefined && typeof schema[name] !== 'object')
    .map((name) => `${at}.${name}=${JSON.stringify(schema[name])}`)
  const neededFields = Array.isArray(schema['required'])
    ? [`${at}.required=${schema['required'].join(',')}`]
    : []
  const fields = Object.entries((schema['properties'] ?? {}) as object).flatMap(([name, one]) =>
    walk(one, at === '' ? name : `${at}.${name}`),
  )
  const forms = [schema['anyOf'], schema['oneOf'], schema['allOf']].flatMap((all) =>
    Array.isArray(all) ? all : [],
  )
  const rest = [
    ...walk(schema['items'], `${at}[]`),
    ...walk(schema['additionalProperties'], `${at}.*`),
    ...forms.flatMap((form) => walk(form, `${at}|`)),
    ...Object.entries((schema['$defs'] ?? {}) as object).flatMap(([name, one]) => walk(one, `#${name}`)),
  ]
  return [...new Set([...limits, ...neededFields, ...fields, ...rest])]
}

export const createSnapshot = (): string =>
  routes
    .map((route) =>
      Object.entries(describeOperation(route))
        .map(([name, values]) => [name, values.filter((value) => value !== '').join(' ')] as const)
        .filter(([, text]) => text !== '')
        .map(([name, text]) => `${name} ${text}\n`)
        .join(''),
    )
    .join('\n')

if (import.meta.main) await writeFile(snapshotFile, createSnapshot())
