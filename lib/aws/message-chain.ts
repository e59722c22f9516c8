import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { SQSRecord } from 'aws-lambda'
import { getCurrentTraceparent, runInTrace } from '../trace.ts'

/**
 * Maximum length of a chain of messages, each of which is sent while the one before it is processed. A job with the
 * maximum of 1,000 tasks in a row needs a few thousand; a longer chain is a loop that would never end.
 */
export const maxHops = 10_000

const hopsAttribute = 'Hops'
/** Attribute with the trace context; instrumentations of SQS use the same name. */
const traceAttribute = 'traceparent'

/** Number of hops of the message being processed; 0 starts a new chain. */
const currentHops = new AsyncLocalStorage<number>()

/** Returns the number of messages that led to this one. */
export const readHops = ({ messageAttributes }: Partial<Pick<SQSRecord, 'messageAttributes'>>): number =>
  Number(messageAttributes?.[hopsAttribute]?.stringValue ?? 1)

/** Returns the trace context that the sender added to a message. */
export const readTraceparent = ({ messageAttributes }: Partial<Pick<SQSRecord, 'messageAttributes'>>) =>
  messageAttributes?.[traceAttribute]?.stringValue

/** Processes a message. Messages sent meanwhile are one hop further in the chain. */
export const continueChain = <T>(hops: number, process: () => T): T => currentHops.run(hops, process)

/**
 * Starts new chains: messages sent meanwhile don't continue the chain of the message being processed, so `maxHops` does
 * not count them. Neither does AWS, which stops a chain after 16 invocations of a function.
 * @param traceparent trace to which the messages belong
 */
export const startChain = <T>(send: () => T, traceparent?: string): T =>
  runInTrace(traceparent, () => currentHops.run(0, send))

/** Returns the attributes that count the messages of a chain; the first message has none. */
export function createChainAttributes() {
  const hops = currentHops.getStore()
  if (!hops) return {}
  return { MessageAttributes: { [hopsAttribute]: { DataType: 'Number', StringValue: String(hops + 1) } } }
}

/** Returns the attributes of a message to send: those of its chain, and its trace context. */
export function messageAttributes() {
  const traceparent = getCurrentTraceparent()
  if (traceparent === undefined) return createChainAttributes()
  return {
    MessageAttributes: {
      ...createChainAttributes().MessageAttributes,
      [traceAttribute]: { DataType: 'String', StringValue: traceparent },
    },
  }
}

/**
 * Returns a trace header for messages that start a chain. Without it, the SDK would send the header of the current
 * invocation.
 */
export const createTraceHeader = (): string | undefined =>
  currentHops.getStore() === 0
    ? `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${randomBytes(12).toString('hex')}`
    : undefined
