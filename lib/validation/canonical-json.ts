/**
 * Sorts the keys of all objects in a value (RFC 8785). DynamoDB does not preserve the order of keys, but an event that
 * is published twice must be identical byte for byte.
 */
export function sortKeys<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map((item) => sortKeys(item)) as Value // the same items
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sortKeys(member)])
  return Object.fromEntries(members) as Value // the same members
}
