import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import { redacted } from '../sealed.ts'
import { AddressGuard } from '../transfer/addresses.ts'

/** Milliseconds for which the name of a receiver is looked up before it is taken as it is. */
const dnsTimeoutMs = 3000
const maxUrlLength = 2048

/** Field of requests that make jobs. */
export const webhookUrl = z
  .string()
  .max(maxUrlLength)
  .describe(
    'Public address that is told of all events of the job, as webhooks are; GET /v1/webhooks/secret is the secret that signs',
  )

/**
 * An address that a webhook may have: http or https, and not one of a private network. A name that is not found is taken,
 * as the receiver may come later: each attempt looks again, and has the last word.
 * @throws AppError INVALID_INPUT, URL_NOT_ALLOWED
 */
export async function checkTargetUrl(
  given: string,
  field: string,
  allowed: readonly string[] = [],
): Promise<void> {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || given.length > maxUrlLength)
    throw invalidField(
      field,
      `expected an address of up to ${maxUrlLength} characters that begins with https:// or http://, got "${given.slice(0, 100)}"`,
    )
  if (url.password === redacted)
    throw invalidField(
      field,
      `"${redacted}" stands for a password that is not shown; send the password itself`,
    )
  const stop = new AbortController()
  const lookup = new AddressGuard(allowed).resolve(url.hostname).catch((error: unknown) => {
    if (error instanceof AppError) throw new AppError(error.code, `${field}: ${error.message}`, { field })
  })
  try {
    await Promise.race([lookup, sleep(dnsTimeoutMs, undefined, { signal: stop.signal })])
  } finally {
    stop.abort()
  }
}

const invalidField = (field: string, error: string) =>
  new AppError('INVALID_INPUT', `${field}: ${error}.`, { field })
