/**
 * The same value with the members of its objects in one order, as RFC 8785 has it: the table gives back what has no
 * schema in any order, and what is said twice has to be the same to the byte.
 */
export function sortKeys<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map((item) => sortKeys(item)) as Value // of the same items
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sortKeys(member)])
  return Object.fromEntries(members) as Value // of the same members
}
