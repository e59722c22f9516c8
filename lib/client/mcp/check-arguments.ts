/** The subset of JSON Schema that the tools use. */
export interface ArgumentSchema {
  readonly type: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, ArgumentSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  readonly items?: ArgumentSchema
  readonly enum?: readonly string[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
}

/** Returns a sentence about the first invalid argument of a tool call, or undefined if all are valid. */
export const findArgumentError = (args: unknown, schema: ArgumentSchema): string | undefined =>
  findError(args, schema, 'arguments')

const getTypeName = (value: unknown) =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'array'
      : Number.isInteger(value)
        ? 'integer'
        : typeof value

function findError(value: unknown, schema: ArgumentSchema, path: string): string | undefined {
  const type = getTypeName(value)
  if (type !== schema.type) return `${path}: expected ${schema.type}, got ${type}.`
  if (schema.enum && !schema.enum.includes(String(value)))
    return `${path}: expected one of ${schema.enum.join(', ')}; got ${value}.`
  if (schema.minimum !== undefined && Number(value) < schema.minimum)
    return `${path}: expected ${schema.minimum} or more, got ${value}.`
  if (Array.isArray(value)) return findItemError(value, schema, path)
  // The value has the type of the schema, as checked above.
  return schema.type === 'object' ? findFieldError(value as Record<string, unknown>, schema) : undefined
}

function findItemError(
  values: readonly unknown[],
  { items, minItems, maxItems }: ArgumentSchema,
  path: string,
) {
  const { length } = values
  if (minItems !== undefined && length < minItems)
    return `${path}: expected at least ${minItems} items, got ${length}.`
  if (maxItems !== undefined && length > maxItems)
    return `${path}: expected at most ${maxItems} items, got ${length}.`
  return items && findFirstDefined(values.map((value, index) => findError(value, items, `${path}[${index}]`)))
}

function findFieldError(args: Readonly<Record<string, unknown>>, schema: ArgumentSchema): string | undefined {
  const { properties = {}, required = [], additionalProperties } = schema
  const missingName = required.find((name) => args[name] === undefined)
  if (missingName !== undefined) return `The argument ${missingName} is missing.`
  const names = Object.keys(properties)
  const unknownName = Object.keys(args).find((name) => !names.includes(name))
  if (unknownName !== undefined && !additionalProperties)
    return `Unknown argument ${unknownName}; expected ${names.join(', ')}.`
  const knownArguments = names.filter((name) => args[name] !== undefined)
  return findFirstDefined(
    knownArguments.map((name) => properties[name] && findError(args[name], properties[name], name)),
  )
}

const findFirstDefined = (found: readonly (string | undefined)[]) => found.find((text) => text !== undefined)
