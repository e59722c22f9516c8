/** As much of JSON Schema as the tools use. */
export interface Schema {
  readonly type: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  readonly items?: Schema
  readonly enum?: readonly string[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
}

/** @returns what is wrong with the arguments of a call, as a sentence; undefined of those that are in order */
export const findArgumentError = (given: unknown, schema: Schema): string | undefined =>
  findError(given, schema, 'arguments')

const typeOf = (value: unknown) =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'array'
      : Number.isInteger(value)
        ? 'integer'
        : typeof value

function findError(value: unknown, schema: Schema, at: string): string | undefined {
  const type = typeOf(value)
  if (type !== schema.type) return `${at}: expected ${schema.type}, got ${type}.`
  if (schema.enum && !schema.enum.includes(String(value))) return `${at}: expected ${schema.enum.join(', ')}.`
  if (schema.minimum !== undefined && Number(value) < schema.minimum)
    return `${at}: expected ${schema.minimum} or more, got ${value}.`
  if (Array.isArray(value)) return findItemError(value, schema, at)
  return schema.type === 'object' ? findFieldError(value as Record<string, unknown>, schema) : undefined // by its type
}

function findItemError(values: readonly unknown[], { items, minItems, maxItems }: Schema, at: string) {
  const { length } = values
  if (minItems !== undefined && length < minItems)
    return `${at}: expected ${minItems} at least, got ${length}.`
  if (maxItems !== undefined && length > maxItems)
    return `${at}: expected ${maxItems} at most, got ${length}.`
  return items && first(values.map((value, index) => findError(value, items, `${at}[${index}]`)))
}

function findFieldError(given: Readonly<Record<string, unknown>>, schema: Schema): string | undefined {
  const { properties = {}, required = [], additionalProperties } = schema
  const missing = required.find((name) => given[name] === undefined)
  if (missing !== undefined) return `${missing} is missing.`
  const names = Object.keys(properties)
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined && !additionalProperties)
    return `There is no argument ${unknown}; expected ${names.join(', ')}.`
  const known = names.filter((name) => given[name] !== undefined)
  return first(known.map((name) => properties[name] && findError(given[name], properties[name], name)))
}

const first = (found: readonly (string | undefined)[]) => found.find((one) => one !== undefined)
