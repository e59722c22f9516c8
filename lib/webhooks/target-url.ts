import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { redacted } from '../crypto/sealed.ts'
import { AppError } from '../errors.ts'
import { AddressGuard } from '../transfer/addresses.ts'
import { describeUrl } from '../validation/describe-url.ts'

/** How long the DNS lookup of a receiver may take before the URL is accepted without it. */
const dnsTimeoutMs = 3000
const maxUrlLength = 2048

/** The field `webhookUrl` of requests that create jobs. */
export const webhookUrl = z
  .string()
  .max(maxUrlLength)
  .describe(
    'Public URL that receives all events of the job, like a webhook; signed with the secret of GET /v1/webhooks/secret',
  )

/**
 * Checks the URL of a webhook: http or https, and not in a private network. An unknown host name is accepted, because
 * the receiver may be set up later; each attempt checks the address again.
 * @throws AppError INVALID_INPUT, URL_NOT_ALLOWED
 */
export async function checkTargetUrl(
  target: string,
  field: string,
  allowedNetworks: readonly string[] = [],
): Promise<void> {
  const url = URL.canParse(target) ? new URL(target) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || target.length > maxUrlLength)
    throw createInvalidFieldError(
      field,
      `expected a URL of up to ${maxUrlLength} characters that starts with https:// or http://, got "${describeUrl(target)}"`,
    )
  if (url.password === redacted)
    throw createInvalidFieldError(
      field,
      `"${redacted}" is the placeholder for a hidden password; send the password itself`,
    )
  const abortController = new AbortController()
  const lookupPromise = new AddressGuard(allowedNetworks).resolve(url.hostname).catch((error: unknown) => {
    if (error instanceof AppError) throw new AppError(error.code, `${field}: ${error.message}`, { field })
  })
  try {
    await Promise.race([lookupPromise, sleep(dnsTimeoutMs, undefined, { signal: abortController.signal })])
  } finally {
    abortController.abort()
  }
}

const createInvalidFieldError = (field: string, error: string) =>
  new AppError('INVALID_INPUT', `${field}: ${error}.`, { field })
