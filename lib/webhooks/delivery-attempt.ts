import { AppError } from '../errors.ts'
import type { GuardedHttp } from '../transfer/guarded-http.ts'
import { RemoteError } from '../transfer/remote-error.ts'
import { compatSignatureHeader } from './compat-event.ts'
import type { Delivery } from './delivery.ts'
import type { Outcome } from './schedule.ts'
import { signatureHeaders } from './signatures.ts'
import type { WebhookFormat } from './webhook.ts'

/** Milliseconds for all of an attempt: to connect, to send, and to be answered. */
export const attemptTimeoutMs = 15_000
/** Bytes of an answer that are read, so that who answers at length has the time to; and those that are kept of it. */
const maxReadBytes = 64 * 1024
const maxStoredBytes = 1024

export interface AttemptRequest {
  readonly url: string
  readonly delivery: Pick<Delivery, 'id' | 'eventId' | 'event' | 'attempt'>
  readonly body: Buffer
  readonly contentType: string
  readonly format?: WebhookFormat
  /** The current one first. */
  readonly secrets: readonly [string, ...string[]]
  readonly at: Date
  readonly timeoutMs?: number | undefined
}

/** One attempt: whatever comes of it is an outcome, and nothing is thrown but bugs. */
export async function attemptDelivery(
  attempt: AttemptRequest,
  guardedHttp: Pick<GuardedHttp, 'request'>,
): Promise<Outcome> {
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
        ...signatureHeaders({ id: delivery.eventId, body, at }, secrets),
        ...(format === 'facade-v2' && compatSignatureHeader(body, secrets[0])),
      },
      ...{ body, signal, maxRedirects: 0, responseTimeoutMs: timeoutMs, bypassesCircuitBreaker: true },
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
  if (status >= 300 && status < 400) return `It answered ${status}; redirects are not followed.`
  return `It answered ${status}.`
}

function describeFailure(error: unknown, signal: AbortSignal, timeoutMs: number): string {
  if (signal.aborted) return `There was no answer within ${timeoutMs / 1000} s.`
  if (error instanceof AppError || error instanceof RemoteError) return error.message
  throw error
}

/** What an answer begins with, as text; one that breaks off has been an answer all the same. */
async function readBeginning(body: AsyncIterable<Buffer> & { destroy(): void }): Promise<string> {
  const chunks: Buffer[] = []
  let read = 0
  try {
    for await (const chunk of body) {
      if (read < maxStoredBytes) chunks.push(chunk)
      read += chunk.length
      if (read >= maxReadBytes) break
    }
  } catch {
    // Its status is what counts.
  } finally {
    body.destroy()
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxStoredBytes), { stream: true })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '\ufffd')
}
