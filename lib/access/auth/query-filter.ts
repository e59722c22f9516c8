import type { CleanedWhere } from 'better-auth/adapters'
import type { AuthRecord, Model } from './records.ts'

/** Evaluates better-auth's `where` clauses: which index to use, and whether a record matches. */

type LookupPath =
  | { readonly by: 'id'; readonly ids: readonly string[] }
  | { readonly by: 'marker' | 'list'; readonly field: string; readonly values: readonly string[] }
  | { readonly by: 'all' }

/** Chooses the cheapest lookup that includes all records that can match. */
export function chooseLookup(
  { unique = [], listed = [], caseInsensitive = [] }: Model,
  where: readonly CleanedWhere[],
): LookupPath {
  const required = where.filter(({ connector }) => connector === 'AND')
  const exact = new Map(
    required.flatMap(({ field, operator, value, mode }): [string, readonly string[]][] => {
      if (mode === 'insensitive' && !caseInsensitive.includes(field)) return []
      if (operator === 'in' && Array.isArray(value)) return [[field, value.map(String)]]
      return operator === 'eq' && value !== null ? [[field, [String(value)]]] : []
    }),
  )
  const ids = exact.get('id')
  if (ids) return { by: 'id', ids }
  const marker = unique.find((field) => exact.has(field))
  if (marker) return { by: 'marker', field: marker, values: exact.get(marker) ?? [] }
  const list = listed.find((field) => exact.has(field))
  if (list) return { by: 'list', field: list, values: exact.get(list) ?? [] }
  return { by: 'all' }
}

/** True if the record matches all AND clauses and, if there are any, one of the OR clauses. */
export function matchesWhere(record: AuthRecord, where: readonly CleanedWhere[]): boolean {
  const all = where.filter(({ connector }) => connector === 'AND')
  const any = where.filter(({ connector }) => connector === 'OR')
  return (
    all.every((clause) => matchesClause(record, clause)) &&
    (any.length === 0 || any.some((clause) => matchesClause(record, clause)))
  )
}

function matchesClause(record: AuthRecord, { field, operator, value, mode }: CleanedWhere): boolean {
  const plain = (one: unknown) =>
    mode === 'insensitive' && typeof one === 'string' ? one.toLowerCase() : one
  const found = plain(record[field] ?? null)
  const wanted = Array.isArray(value) ? undefined : plain(value instanceof Date ? value.toISOString() : value)
  const list: readonly unknown[] = Array.isArray(value) ? value.map(plain) : []
  const text = typeof found === 'string' ? found : undefined
  switch (operator) {
    case undefined:
    case 'eq':
      return found === wanted
    case 'ne':
      return found !== wanted
    case 'in':
      return list.includes(found)
    case 'not_in':
      return !list.includes(found)
    case 'contains':
      return text?.includes(String(wanted)) ?? false
    case 'starts_with':
      return text?.startsWith(String(wanted)) ?? false
    case 'ends_with':
      return text?.endsWith(String(wanted)) ?? false
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return satisfiesOrder(found, operator, wanted)
  }
}

type Ordered = string | number
const isOrdered = (one: unknown): one is Ordered => typeof one === 'string' || typeof one === 'number'

/** A missing value is neither less nor greater. */
function satisfiesOrder(found: unknown, operator: 'lt' | 'lte' | 'gt' | 'gte', wanted: unknown): boolean {
  if (!isOrdered(found) || !isOrdered(wanted)) return false
  switch (operator) {
    case 'lt':
      return found < wanted
    case 'lte':
      return found <= wanted
    case 'gt':
      return found > wanted
    case 'gte':
      return found >= wanted
  }
}

export function sortRecords(
  records: readonly AuthRecord[],
  { field, direction }: { readonly field: string; readonly direction: 'asc' | 'desc' },
): AuthRecord[] {
  const sign = direction === 'asc' ? 1 : -1
  return [...records].sort((a, b) => sign * compare(a[field], b[field]))
}

function compare(a: unknown, b: unknown): number {
  const [left, right] = [a ?? null, b ?? null]
  if (left === right) return 0
  // Missing values come first.
  if (left === null) return -1
  if (right === null) return 1
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return String(left) < String(right) ? -1 : 1
}
