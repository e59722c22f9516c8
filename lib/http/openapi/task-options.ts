import * as z from 'zod'
import type { Engine } from '../../engines/engine.ts'
import type { Operation } from '../../model/operations.ts'
import { taskOperations } from '../../tasks/index.ts'
import { getTaskSchemaName } from '../../tasks/reference.ts'
import { simplifySchema } from './schemas.ts'

type JsonSchema = Readonly<Record<string, unknown>>
type Schemas = Readonly<Record<string, unknown>>

/** Adds to the schema of each task the options of its operation, as a schema such as `ThumbnailOptions`. */
export function addTaskOptions(schemas: Schemas, engines: readonly Engine[]): Schemas {
  const addedSchemas = taskOperations.flatMap(({ kind, name }) => {
    const id = getTaskSchemaName(name)
    const task = schemas[id] as { readonly properties: Readonly<Record<string, JsonSchema>> } | undefined
    if (kind !== 'process' || !task) return []
    const optionsId = `${id.replace(/^Task/, '')}Options`
    const reference = { $ref: `#/components/schemas/${optionsId}` }
    const { options } = task.properties
    return [
      [optionsId, listOptions(name as Operation, engines)], // tasks that process files are named for the operation
      [
        id,
        {
          ...task,
          properties: {
            ...task.properties,
            options: { description: options?.['description'], ...reference },
          },
          allOf: [reference],
        },
      ],
    ] as const
  })
  return { ...schemas, ...Object.fromEntries(addedSchemas) }
}

/** The only option that belongs to the API, not to an engine. */
const pdfEngine = {
  description: 'Renderer of Word documents to PDF; this service has only one, so only `auto` is accepted',
  type: 'string',
  enum: ['auto'],
}

/** Returns the options that any engine has for the operation. Which of them apply to a task depends on its formats. */
function listOptions(operation: Operation, engines: readonly Engine[]): JsonSchema {
  const options = engines
    .flatMap(({ capabilities }) => capabilities.filter((row) => row.operation === operation))
    // `shape` contains zod types.
    .flatMap((row) => Object.entries(row.options.shape) as [string, z.ZodType][])
  const properties = [...Map.groupBy(options, ([name]) => name)].map(([name, sameOptions]) => [
    name,
    mergeSchemas(sameOptions.map(([, schema]) => schema)),
  ])
  return {
    type: 'object',
    description: `Options of \`${operation}\`; GET /v1/formats/conversions lists those of each pair of formats. Their names may also be written in snake_case`,
    properties: { ...Object.fromEntries(properties), ...(operation === 'convert' && { pdfEngine }) },
  }
}

/** Returns a schema that accepts what any of the given schemas accepts. */
function mergeSchemas(schemas: readonly z.ZodType[]): JsonSchema {
  const { description, ...firstSchema } = toJsonSchema(schemas[0] ?? z.unknown())
  const variants = new Map(
    [...new Set(schemas)].map((schema) => {
      const { description: _, default: _default, ...variant } = toJsonSchema(schema)
      return [JSON.stringify(variant), variant] as const
    }),
  )
  if (variants.size === 1) return { description, ...firstSchema }
  const enums = [...variants.values()].flatMap((variant) =>
    Array.isArray(variant['enum']) ? [variant['enum'] as unknown[]] : [],
  )
  // The schema has no `type`, because some enums contain numbers.
  if (enums.length === variants.size) return { description, enum: [...new Set(enums.flat())] }
  return { description, anyOf: [...variants.values()] }
}

function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => simplifySchema(jsonSchema),
  })
  return rest
}
