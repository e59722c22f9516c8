import { createHash } from 'node:crypto'
import { ApiError } from '../signed-api.ts'
import type { EventsAccount } from './account.ts'
import { textField } from './request-params.ts'

export const Token = textField(1, 64, '^[a-zA-Z0-9-_]+$')

interface StoredResponse {
  readonly request: string
  readonly answer: unknown
}

/** How long a repeated request gets the first response. */
const tokenLifeMs = 8 * 3_600_000

/**
 * Runs a change once per client token: a client that missed the response and repeats the request gets the same one.
 * The SDKs send a token with every request.
 */
export function runOncePerToken<T extends object>(
  account: EventsAccount,
  operation: string,
  members: { readonly ClientToken?: string | undefined },
  change: () => T,
): Promise<T> {
  const { ClientToken, ...request } = members
  return account.store.commit(() => {
    if (ClientToken === undefined) return change()
    const tokens = account.store.collection<StoredResponse>('token')
    const key = `${operation}/${ClientToken}`
    const digest = createHash('sha256').update(JSON.stringify(request)).digest('base64url')
    const known = tokens.get(key)
    if (known && known.request !== digest)
      throw new ApiError('ConflictException', 'The client token was used with other parameters before.', 409)
    // This function stored the response, for the same operation.
    if (known) return known.answer as T
    const answer = change()
    tokens.put(key, { request: digest, answer }, account.now() + tokenLifeMs)
    return answer
  })
}
