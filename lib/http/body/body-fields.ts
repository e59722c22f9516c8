import * as z from 'zod'
import { camelCase } from '../../names/case-conversion.ts'
import { parseInput } from '../../validation/parse-input.ts'

/**
 * Parses a body whose fields may also be written in snake_case, like those of tasks. Errors use the client's spelling.
 * @throws AppError INVALID_INPUT, INVALID_REQUEST
 */
export function parseBodyFields<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject || !(schema instanceof z.ZodObject)) return parseInput(schema, value, 'body')
  const sentNames = new Map<string, string>()
  const fields = Object.entries(value).map(([sentName, field]) => {
    const name = camelCase(sentName)
    const isOtherSpelling =
      name !== sentName &&
      Object.hasOwn(schema.shape, name) &&
      !Object.hasOwn(schema.shape, sentName) &&
      !Object.hasOwn(value, name)
    if (!isOtherSpelling) return [sentName, field]
    sentNames.set(name, sentName)
    return [name, field]
  })
  return parseInput(schema, Object.fromEntries(fields), 'body', (path) => {
    const [name = '', ...rest] = path.split('.')
    return [sentNames.get(name) ?? name, ...rest].join('.')
  })
}
