type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

/**
 * Returns the fields that are not undefined, so that optional fields need no conditions: `{ id, ...defined({ tag,
 * deadline }) }`. `null`, `''`, `0` and `false` are kept.
 */
export function defined<Fields extends object>(fields: Fields): Defined<Fields>
export function defined(fields: Record<string, unknown>): Record<string, unknown> {
  const definedFields: Record<string, unknown> = {}
  for (const name in fields) if (fields[name] !== undefined) definedFields[name] = fields[name]
  return definedFields
}
