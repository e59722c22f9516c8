/** Keys of metadata that this service adds to options; they are not keywords of JSON Schema. */
const internalKeys = ['secret', 'ofResult', 'lenient', 'ofSource', 'ofEachStep'] as const

/** Removes keywords that make a generated schema longer without adding information. */
export function simplifySchema(schema: Record<string, unknown>): void {
  // zod adds these bounds to every integer.
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum']
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum']
  // The format says the same as a pattern of 250 characters.
  if (schema['format'] === 'date-time' || schema['format'] === 'date') delete schema['pattern']
  // All property names are text, so this keyword adds no information.
  if (JSON.stringify(schema['propertyNames']) === '{"type":"string"}') delete schema['propertyNames']
  for (const key of internalKeys) delete schema[key]
}
