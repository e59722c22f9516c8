import * as z from 'zod'

/** What a field takes, in words for who filled it in: the one place that turns schemas and their issues into sentences. */

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

/** Formats of texts, our own (`z.stringFormat`) and zod's. */
const formats: Readonly<Record<string, string>> = {
  color: 'a color as #ff0000',
  length: 'a length as 20mm, 1in or 36pt',
  box: 'four numbers of points with commas between, as 0,0,200,100',
  'date-time': 'a time as 2026-01-31T12:00:00Z',
  date: 'a date as 2026-01-31',
  uri: 'an address as https://example.com/',
  email: 'an address as ann@example.com',
}

/** Longer lists are in the reference. */
const mostWords = 50

/** Of what a field takes; where its schema says nothing that a reader would understand, what it is for. */
export function expectationOf(schema: z.ZodType, path: readonly PropertyKey[]): string {
  // What comes out of parsing is what a field means, unless code makes it, of which a schema says nothing.
  const [meant, sent] = (['output', 'input'] as const).map((io) => fieldOf(jsonSchemaOf(schema, io), path))
  return wordsOf(meant) ?? wordsOf(sent) ?? wordsOfDescription(meant ?? sent)
}

const jsonSchemas = {
  input: new WeakMap<z.ZodType, JsonSchema>(),
  output: new WeakMap<z.ZodType, JsonSchema>(),
}

function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  // zod's JSON Schema is of this shape for all that clients send.
  const known =
    jsonSchemas[io].get(schema) ?? (z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema)
  jsonSchemas[io].set(schema, known)
  return known
}

/** The part that a path leads to; of several forms the first that has such a part. */
function fieldOf(
  schema: JsonSchema | undefined,
  [name, ...rest]: readonly PropertyKey[],
): JsonSchema | undefined {
  if (schema === undefined || name === undefined) return schema
  for (const form of formsOf(schema)) {
    const { additionalProperties: others } = form
    const part =
      typeof name === 'number' ? form.items : (form.properties?.[String(name)] ?? (others || undefined))
    if (typeof part === 'object') return fieldOf(part, rest)
  }
  return undefined
}

const formsOf = (schema: JsonSchema): readonly JsonSchema[] => schema.anyOf ?? schema.allOf ?? [schema]

/** What a pattern means is said by its description, which is not about the value as a rule. */
function wordsOfDescription(schema: JsonSchema | undefined): string {
  const example = /^As (.*?)\.?$/.exec(schema?.description ?? '')?.[1]
  return example === undefined ? 'a text' : `a text as ${example}`
}

/** Undefined where a form cannot be told in words. */
function wordsOf(schema: JsonSchema | undefined): string | undefined {
  if (schema === undefined) return undefined
  const forms = formsOf(schema).filter(({ type }) => type !== 'null')
  const words = forms.map((form) => formWords(form))
  return words.length === 0 || words.includes(undefined) ? undefined : [...new Set(words)].join(', or ')
}

function formWords(schema: JsonSchema): string | undefined {
  const { type, format, pattern } = schema
  if (schema.anyOf) return wordsOf(schema)
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (values) return isFlag(values) ? 'true or false' : wordsOfValues(values)
  switch (type) {
    case 'integer':
      return `a whole number${rangeOf(schema.minimum, schema.maximum)}`
    case 'number':
      return `a number${rangeOf(schema.minimum, schema.maximum)}`
    case 'boolean':
      return 'true or false'
    case 'array':
      if (schema.items?.enum) return `one or several of ${wordsOfValues(schema.items.enum)}`
      return `a list${rangeOf(schema.minItems, schema.maxItems, 'entry')}`
    case 'object':
      return 'an object'
    case 'string': {
      if (format !== undefined) return formats[format]
      const range = rangeOf(schema.minLength, schema.maxLength, 'character')
      return pattern === undefined || range ? `a text${range}` : undefined
    }
    default:
      return undefined
  }
}

/** As a query or form has them. */
const isFlag = (values: readonly unknown[]) => values.toSorted().join() === '0,1,false,true'

/** As `a, b or c`. */
export function wordsOfValues(values: readonly unknown[]): string {
  const texts = values.map(String)
  if (texts.length > mostWords)
    return `one of ${texts.slice(0, mostWords).join(', ')} and ${texts.length - mostWords} more`
  return texts.length > 1 ? `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}` : texts.join()
}

/** zod gives every whole number the bounds of a safe one, which say nothing. */
const isBound = (bound: number | undefined): bound is number =>
  bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER

const several = { character: 'characters', entry: 'entries' } as const

function rangeOf(least: number | undefined, most: number | undefined, unit?: keyof typeof several): string {
  const counted = (count: number) => (unit ? `${count} ${count === 1 ? unit : several[unit]}` : `${count}`)
  if (isBound(least) && isBound(most)) return ` ${unit ? 'of' : 'from'} ${least} to ${counted(most)}`
  if (isBound(most)) return ` of at most ${counted(most)}`
  return isBound(least) && !(unit && least <= 0) ? ` of at least ${counted(least)}` : ''
}

/** Words that a schema itself has for what it wants; all others are zod's, for developers. */
export const ownWords = ({ message }: Pick<Issue, 'message'>): string | undefined =>
  /^expected:? (.*?)\.?$/is.exec(message)?.[1]
