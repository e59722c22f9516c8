import Negotiator from 'negotiator'
import { AppError } from '../../errors.ts'
import type { AnyContract } from '../contract.ts'

/** Content types of replies and errors, with and without the charset parameter. */
const offeredTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'application/problem+json',
] as const

/**
 * Whether an endpoint replies only with the JSON envelope. Endpoints that can redirect to a file accept any `Accept`.
 */
export function repliesOnlyJson({ reply, errorFormat }: AnyContract): boolean {
  const { status, otherStatuses = {}, form = 'envelope' } = reply
  const statuses = [status, ...Object.keys(otherStatuses).map(Number)]
  const canRedirect = statuses.some((status) => status >= 300 && status < 400)
  return !canRedirect && errorFormat === undefined && (form === 'envelope' || form === 'mirrored')
}

/** Checks that the client accepts JSON. Call it before the request has any effect. @throws AppError NOT_ACCEPTABLE */
export function requireAcceptable(contract: AnyContract, accept: string | undefined): void {
  if (!accept?.trim() || !repliesOnlyJson(contract)) return
  if (new Negotiator({ headers: { accept } }).mediaTypes([...offeredTypes]).length > 0) return
  throw new AppError(
    'NOT_ACCEPTABLE',
    `Accept: expected application/json, the only type of this endpoint, got ${JSON.stringify(accept.slice(0, 100))}. Omit the header or add application/json.`,
    { field: 'Accept', expected: ['application/json', 'application/problem+json'] },
  )
}
