import * as z from 'zod'
import { toCamelCase } from '../../names/case-conversion.ts'
import { parseInput } from '../../validation/parse-input.ts'

/**
 * Parses a body whose fields may also be written in snake_case, like those of tasks. Errors use the client's spelling.
 * @throws AppError INVALID_INPUT, INVALID_REQUEST
 */
export function parseBodyFields<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  if (!(schema instanceof z.ZodObject)) return parseInput(schema, value, 'body')
  const { fields, sentNames } = renameFields(schema, value)
  return parseInput(schema, fields, 'body', (path) => {
    const [name = '', ...otherParts] = path.split('.')
    return [sentNames.get(name) ?? name, ...otherParts].join('.')
  })
}

/** Renames fields to the spelling of the schema; `sentNames` has the client's spelling. */
export function renameFields({ shape }: z.ZodObject, value: unknown) {
  const sentNames = new Map<string, string>()
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { fields: value, sentNames }
  const fields = Object.entries(value).map(([sentName, field]) => {
    const name = toCamelCase(sentName)
    const isOtherSpelling =
      name !== sentName &&
      Object.hasOwn(shape, name) &&
      !Object.hasOwn(shape, sentName) &&
      !Object.hasOwn(value, name)
    if (!isOtherSpelling) return [sentName, field]
    sentNames.set(name, sentName)
    return [name, field]
  })
  return { fields: Object.fromEntries(fields), sentNames }
}
