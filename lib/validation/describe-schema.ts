import * as z from 'zod'
import { unnamedMetadata } from './component.ts'

/** Describes what a field accepts, for the person who filled it in. Only this module turns schemas into sentences. */

type Issue = z.core.$ZodIssue

interface JsonSchema {
  readonly type?: string
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly description?: string
}

/** Descriptions of string formats: those of this service (`z.stringFormat`) and those of zod. */
const formatDescriptions: Readonly<Record<string, string>> = {
  color: 'a color such as #ff0000',
  length: 'a length such as 20mm, 1in or 36pt',
  pages: 'page numbers and ranges such as 1-5,10,15-last',
  box: 'four numbers of points separated by commas, such as 0,0,200,100',
  'date-time': 'a time such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
  uri: 'a URL such as https://example.com/',
  email: 'an email address such as ann@example.com',
}

/** Maximum number of values in a description; the API reference lists all of them. */
const maxListedValues = 50

/**
 * Describes what the field at a path accepts. If the schema says nothing that a reader would understand, gives an
 * example.
 */
export function describeExpectation(schema: z.ZodType, path: readonly PropertyKey[]): string {
  // The output schema describes a field better, but it says nothing about a field that a transform produces.
  const [outputSchema, inputSchema] = (['output', 'input'] as const).map((io) =>
    findSchemaAt(toJsonSchema(schema, io), path),
  )
  return (
    describeVariants(outputSchema) ??
    describeVariants(inputSchema) ??
    describeText(outputSchema ?? inputSchema)
  )
}

const jsonSchemas = {
  input: new WeakMap<z.ZodType, JsonSchema>(),
  output: new WeakMap<z.ZodType, JsonSchema>(),
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  // The cast is safe: schemas of client input use no keywords other than those of `JsonSchema`.
  const knownSchema =
    jsonSchemas[io].get(schema) ??
    (z.toJSONSchema(schema, { io, unrepresentable: 'any', metadata: unnamedMetadata }) as JsonSchema)
  jsonSchemas[io].set(schema, knownSchema)
  return knownSchema
}

/** Finds the subschema at a path; if there are several variants, in the first variant that has this path. */
function findSchemaAt(
  schema: JsonSchema | undefined,
  [name, ...otherNames]: readonly PropertyKey[],
): JsonSchema | undefined {
  if (schema === undefined || name === undefined) return schema
  for (const variant of listVariants(schema)) {
    const { additionalProperties: valueSchema } = variant
    const typeText =
      typeof name === 'number'
        ? variant.items
        : (variant.properties?.[String(name)] ?? (valueSchema || undefined))
    if (typeof typeText === 'object') return findSchemaAt(typeText, otherNames)
  }
  return undefined
}

const listVariants = (schema: JsonSchema): readonly JsonSchema[] => schema.anyOf ?? schema.allOf ?? [schema]

/**
 * Describes a text by an example, which says more than the pattern. A schema whose description starts with "As" gives
 * that example.
 */
function describeText(schema: JsonSchema | undefined): string {
  const example = /^As (.*?)\.?$/.exec(schema?.description ?? '')?.[1]
  return example === undefined ? 'a text' : `a text such as ${example}`
}

/** Describes the variants of a schema; undefined if one of them cannot be described. */
function describeVariants(schema: JsonSchema | undefined): string | undefined {
  if (schema === undefined) return undefined
  const variants = listVariants(schema).filter(({ type }) => type !== 'null')
  const descriptions = variants.map((variant) => describeVariant(variant))
  return descriptions.length === 0 || descriptions.includes(undefined)
    ? undefined
    : [...new Set(descriptions)].join(', or ')
}

function describeVariant(schema: JsonSchema): string | undefined {
  const { type, format, pattern } = schema
  if (schema.anyOf) return describeVariants(schema)
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (values) return areBooleanTexts(values) ? 'true or false' : describeValues(values)
  switch (type) {
    case 'integer':
      return `a whole number${describeRange(schema.minimum, schema.maximum)}`
    case 'number':
      return `a number${describeRange(schema.minimum, schema.maximum)}`
    case 'boolean':
      return 'true or false'
    case 'array':
      if (schema.items?.enum) return `one or several of ${describeValues(schema.items.enum)}`
      return `a list${describeRange(schema.minItems, schema.maxItems, 'entry')}`
    case 'object':
      return 'an object'
    case 'string': {
      if (format !== undefined) return formatDescriptions[format]
      const range = describeRange(schema.minLength, schema.maxLength, 'character')
      return pattern === undefined || range ? `a text${range}` : undefined
    }
    default:
      return undefined
  }
}

/** Whether the values are the texts of booleans in a query or form. */
const areBooleanTexts = (values: readonly unknown[]) =>
  values.toSorted().join() === '0,1,false,no,off,on,true,yes'

/** Joins values, for example `a, b or c`. */
export function describeValues(values: readonly unknown[]): string {
  const texts = values.map(String)
  if (texts.length > maxListedValues)
    return `one of ${texts.slice(0, maxListedValues).join(', ')} and ${texts.length - maxListedValues} more`
  return texts.length > 1 ? `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}` : texts.join()
}

/** Whether a bound is meaningful: zod gives every whole number the bounds of safe integers. */
const isMeaningfulBound = (bound: number | undefined): bound is number =>
  bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER

const plurals = { character: 'characters', entry: 'entries' } as const

function describeRange(
  min: number | undefined,
  max: number | undefined,
  unit?: keyof typeof plurals,
): string {
  const addUnit = (count: number) => (unit ? `${count} ${count === 1 ? unit : plurals[unit]}` : `${count}`)
  if (isMeaningfulBound(min) && isMeaningfulBound(max))
    return ` ${unit ? 'of' : 'from'} ${min} to ${addUnit(max)}`
  if (isMeaningfulBound(max)) return ` of at most ${addUnit(max)}`
  return isMeaningfulBound(min) && !(unit && min <= 0) ? ` of at least ${addUnit(min)}` : ''
}

/** Returns the schema's own "expected …" message. All other messages are from zod and meant for developers. */
export const getCustomExpectation = ({ message }: Pick<Issue, 'message'>): string | undefined =>
  /^expected:? (.*?)\.?$/is.exec(message)?.[1]
