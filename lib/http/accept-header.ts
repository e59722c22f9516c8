import Negotiator from 'negotiator'
import { AppError } from '../errors.ts'
import type { AnyContract } from './contract.ts'

/** What replies and errors are in, with and without the parameter that goes along. */
const offeredTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'application/problem+json',
] as const

/** Endpoints that answer with our envelope and nothing else: those that may lead to a file answer to any type. */
export function repliesOnlyJson({ reply, errorFormat }: AnyContract): boolean {
  const { status, otherStatuses = {}, form = 'envelope' } = reply
  const statuses = [status, ...Object.keys(otherStatuses).map(Number)]
  const canRedirect = statuses.some((one) => one >= 300 && one < 400)
  return !canRedirect && errorFormat === undefined && (form === 'envelope' || form === 'mirrored')
}

/** @throws AppError NOT_ACCEPTABLE, before anything is done. */
export function requireAcceptable(contract: AnyContract, accept: string | undefined): void {
  if (!accept?.trim() || !repliesOnlyJson(contract)) return
  if (new Negotiator({ headers: { accept } }).mediaTypes([...offeredTypes]).length > 0) return
  throw new AppError(
    'NOT_ACCEPTABLE',
    `Accept: expected application/json among what is taken, as this endpoint answers in it alone, got ${JSON.stringify(accept.slice(0, 100))}. Leave the header out, or add application/json.`,
    { field: 'Accept', expected: ['application/json', 'application/problem+json'] },
  )
}
