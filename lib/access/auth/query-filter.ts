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
  const requiredConditions = where.filter(({ connector }) => connector === 'AND')
  const exactValues = new Map(
    requiredConditions.flatMap(({ field, operator, value, mode }): [string, readonly string[]][] => {
      if (mode === 'insensitive' && !caseInsensitive.includes(field)) return []
      if (operator === 'in' && Array.isArray(value)) return [[field, value.map(String)]]
      return operator === 'eq' && value !== null ? [[field, [String(value)]]] : []
    }),
  )
  const ids = exactValues.get('id')
  if (ids) return { by: 'id', ids }
  const uniqueField = unique.find((field) => exactValues.has(field))
  if (uniqueField) return { by: 'marker', field: uniqueField, values: exactValues.get(uniqueField) ?? [] }
  const list = listed.find((field) => exactValues.has(field))
  if (list) return { by: 'list', field: list, values: exactValues.get(list) ?? [] }
  return { by: 'all' }
}

/** True if the record matches all AND clauses and, if there are any, one of the OR clauses. */
export function matchesWhere(record: AuthRecord, where: readonly CleanedWhere[]): boolean {
  const andConditions = where.filter(({ connector }) => connector === 'AND')
  const orConditions = where.filter(({ connector }) => connector === 'OR')
  return (
    andConditions.every((clause) => matchesClause(record, clause)) &&
    (orConditions.length === 0 || orConditions.some((clause) => matchesClause(record, clause)))
  )
}

function matchesClause(record: AuthRecord, { field, operator, value, mode }: CleanedWhere): boolean {
  const normalizeCase = (one: unknown) =>
    mode === 'insensitive' && typeof one === 'string' ? one.toLowerCase() : one
  const foundValue = normalizeCase(record[field] ?? null)
  const wantedValue = Array.isArray(value)
    ? undefined
    : normalizeCase(value instanceof Date ? value.toISOString() : value)
  const list: readonly unknown[] = Array.isArray(value) ? value.map(normalizeCase) : []
  const text = typeof foundValue === 'string' ? foundValue : undefined
  switch (operator) {
    case undefined:
    case 'eq':
      return foundValue === wantedValue
    case 'ne':
      return foundValue !== wantedValue
    case 'in':
      return list.includes(foundValue)
    case 'not_in':
      return !list.includes(foundValue)
    case 'contains':
      return text?.includes(String(wantedValue)) ?? false
    case 'starts_with':
      return text?.startsWith(String(wantedValue)) ?? false
    case 'ends_with':
      return text?.endsWith(String(wantedValue)) ?? false
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return matchesComparison(foundValue, operator, wantedValue)
  }
}

type Comparable = string | number
const isComparable = (value: unknown): value is Comparable =>
  typeof value === 'string' || typeof value === 'number'

/** In comparisons, a missing value is neither less nor greater than another value. */
function matchesComparison(
  foundValue: unknown,
  operator: 'lt' | 'lte' | 'gt' | 'gte',
  wantedValue: unknown,
): boolean {
  if (!isComparable(foundValue) || !isComparable(wantedValue)) return false
  switch (operator) {
    case 'lt':
      return foundValue < wantedValue
    case 'lte':
      return foundValue <= wantedValue
    case 'gt':
      return foundValue > wantedValue
    case 'gte':
      return foundValue >= wantedValue
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
  // Missing values sort first.
  if (left === null) return -1
  if (right === null) return 1
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return String(left) < String(right) ? -1 : 1
}
