// Distributed tracing in the terms of OpenTelemetry, without any library.
// `onSpanEnd` decides where the collected spans are exported.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'

type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer'

/**
 * Attributes of a span. Allowed are ids, formats, operations, sizes, codes and durations, but no names that clients
 * chose.
 */
type Attributes = Record<string, string | number | boolean | undefined>

interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  /**
   * Whether spans may be exported. Clients that send a context without this flag do not want their spans to be
   * exported.
   */
  readonly isSampled: boolean
}

/** A span that has ended, in a form that can be sent to another process. */
export interface EndedSpan extends TraceContext {
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: SpanKind
  /** When the span started, in milliseconds since 1970. */
  readonly startMs: number
  readonly durationMs: number
  readonly attributes: Readonly<Attributes>
  readonly hasFailed: boolean
}

interface ActiveSpan extends TraceContext {
  name: string
  hasFailed: boolean
  readonly attributes: Attributes
}

interface SpanOptions {
  readonly name: string
  readonly kind?: SpanKind
  /** The `traceparent` of a request, message or event; if there is none, the current span is the parent. */
  readonly parent?: string | undefined
  readonly attributes?: Attributes
}

/** The running span, or the context of a span in another process. */
const currentContext = new AsyncLocalStorage<ActiveSpan | TraceContext | undefined>()

let spanListener: ((span: EndedSpan) => void) | undefined

/** Sets the function that receives the sampled spans of this process when they end. */
export function onSpanEnd(listener: (span: EndedSpan) => void): void {
  spanListener = listener
}

/** Whether spans are exported; otherwise, only the log contains their ids. */
export const areSpansExported = (): boolean => spanListener !== undefined

/** Exports a span that has ended, possibly in another process. */
export const exportSpan = (span: EndedSpan): void => spanListener?.(span)

/** Runs a function within a span. If it throws, the span has failed. */
export async function runSpan<T>(
  { name, kind = 'internal', parent, attributes = {} }: SpanOptions,
  run: () => Promise<T>,
): Promise<T> {
  const parentContext = parseTraceparent(parent) ?? currentContext.getStore()
  const span: ActiveSpan = {
    traceId: parentContext?.traceId ?? createRandomId(16),
    spanId: createRandomId(8),
    isSampled: parentContext?.isSampled ?? true,
    name,
    hasFailed: false,
    attributes,
  }
  const startMs = Date.now()
  const startedAt = performance.now()
  try {
    return await currentContext.run(span, run)
  } catch (error) {
    currentContext.run(span, () => failSpan(getErrorType(error)))
    throw error
  } finally {
    const durationMs = performance.now() - startedAt
    if (span.isSampled) exportSpan({ ...span, kind, parentId: parentContext?.spanId, startMs, durationMs })
  }
}

/** Runs a function in the context of a `traceparent`. Without one, its spans start new traces. */
export const runInTrace = <T>(traceparent: string | undefined, run: () => T): T =>
  currentContext.run(parseTraceparent(traceparent), run)

/** Runs a function as part of the trace of a `traceparent`, unless that trace is already the current one. */
export function continueTrace<T>(traceparent: string | undefined, run: () => T): T {
  const context = parseTraceparent(traceparent)
  const isOtherTrace = context && context.traceId !== currentContext.getStore()?.traceId
  return isOtherTrace ? currentContext.run(context, run) : run()
}

/** Adds attributes to the running span. */
export function annotateSpan(attributes: Attributes): void {
  const span = getActiveSpan()
  if (span) Object.assign(span.attributes, attributes)
}

/** Renames the running span, when its purpose is known. */
export function renameSpan(name: string): void {
  const span = getActiveSpan()
  if (span) span.name = name
}

/**
 * Marks the running span as failed.
 * @param errorType code of the error; its message is not used, because it may contain filenames
 */
export function failSpan(errorType: string): void {
  const span = getActiveSpan()
  if (!span) return
  span.hasFailed = true
  span.attributes['error.type'] = errorType
}

/** Returns the ids of the running span for a line of the log. */
export function getCurrentTraceIds(): { readonly traceId?: string; readonly spanId?: string } {
  const context = currentContext.getStore()
  return context ? { traceId: context.traceId, spanId: context.spanId } : {}
}

/**
 * Returns the context of the running span as W3C Trace Context, to send with a request or message.
 * https://www.w3.org/TR/trace-context/
 */
export function getCurrentTraceparent(): string | undefined {
  const context = currentContext.getStore()
  return context && `00-${context.traceId}-${context.spanId}-${context.isSampled ? '01' : '00'}`
}

// Versions after 00 may have further fields.
const traceparentPattern =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-|$)/

/** Parses a `traceparent` header. Returns undefined for an invalid header, which "MUST" be ignored. */
function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const [, version, traceId, spanId, flags, unparsedRest] = traceparentPattern.exec(header ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (version === '00' && unparsedRest !== '') return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

function getActiveSpan(): ActiveSpan | undefined {
  const context = currentContext.getStore()
  return context && 'attributes' in context ? context : undefined
}

const createRandomId = (bytes: number) => randomBytes(bytes).toString('hex')

function getErrorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
