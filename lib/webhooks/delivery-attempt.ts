import { AppError } from '../errors.ts'
import type { GuardedHttp } from '../transfer/guarded-http.ts'
import { RemoteError } from '../transfer/remote-error.ts'
import { createCompatSignatureHeader } from './compat-event.ts'
import type { Delivery } from './delivery.ts'
import type { AttemptOutcome } from './schedule.ts'
import { createSignatureHeaders } from './signatures.ts'
import type { WebhookFormat } from './webhook.ts'

/** Timeout of a whole attempt: connecting, sending and reading the response. */
export const attemptTimeoutMs = 15_000
/**
 * Maximum number of bytes that are read from a response. More bytes are read than stored, so that the receiver can
 * finish sending.
 */
const maxReadBytes = 64 * 1024
/** Maximum number of bytes of a response that are stored. */
const maxStoredBytes = 1024

interface AttemptRequest {
  readonly url: string
  readonly delivery: Pick<Delivery, 'id' | 'eventId' | 'event' | 'attempt'>
  readonly body: Buffer
  readonly contentType: string
  readonly format?: WebhookFormat
  /** Secrets that sign the request, the current one first. */
  readonly secrets: readonly [string, ...string[]]
  readonly at: Date
  readonly timeoutMs?: number | undefined
}

/** Makes one attempt. Failures are returned as an outcome; only bugs are thrown. */
export async function attemptDelivery(
  attempt: AttemptRequest,
  guardedHttp: Pick<GuardedHttp, 'request'>,
): Promise<AttemptOutcome> {
  const { url, delivery, body, contentType, format, secrets, at, timeoutMs = attemptTimeoutMs } = attempt
  const startedAtMs = performance.now()
  const durationMs = () => Math.round(performance.now() - startedAtMs)
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await guardedHttp.request(url, {
      method: 'POST',
      headers: {
        'content-type': contentType,
        'user-agent': 'Mutabor-Webhooks/1',
        'x-webhook-event': delivery.event,
        'x-webhook-delivery': delivery.id,
        'x-webhook-attempt': String(delivery.attempt + 1),
        ...createSignatureHeaders({ id: delivery.eventId, body, at }, secrets),
        ...(format === 'facade-v2' && createCompatSignatureHeader(body, secrets[0])),
      },
      body,
      signal,
      maxRedirects: 0,
      responseTimeoutMs: timeoutMs,
      bypassesCircuitBreaker: true,
    })
    const { status: responseStatus, headers } = response
    const responseBody = await readBeginning(response.body)
    const retryAfter = headers['retry-after']
    return {
      responseStatus,
      responseBody,
      retryAfter,
      error: describeStatus(responseStatus),
      durationMs: durationMs(),
    }
  } catch (error) {
    return { error: describeFailure(error, signal, timeoutMs), durationMs: durationMs() }
  }
}

function describeStatus(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400)
    return `The receiver responded with status ${status}; redirects are not followed.`
  return `The receiver responded with status ${status}.`
}

function describeFailure(error: unknown, signal: AbortSignal, timeoutMs: number): string {
  if (signal.aborted) return `The receiver did not respond within ${timeoutMs / 1000} s.`
  if (error instanceof AppError || error instanceof RemoteError) return error.message
  throw error
}

/** Reads the beginning of a response as text. A connection that is lost meanwhile is not an error. */
async function readBeginning(body: AsyncIterable<Buffer> & { destroy(): void }): Promise<string> {
  const chunks: Buffer[] = []
  let bytesRead = 0
  try {
    for await (const chunk of body) {
      if (bytesRead < maxStoredBytes) chunks.push(chunk)
      bytesRead += chunk.length
      if (bytesRead >= maxReadBytes) break
    }
  } catch {
    // The error is ignored, because only the status counts.
  } finally {
    body.destroy()
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxStoredBytes), { stream: true })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are replaced
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '\ufffd')
}
