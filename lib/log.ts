import pino, { type DestinationStream, type Logger } from 'pino'
import type { Config } from './config.ts'
import { toOtlpLine } from './otlp-span.ts'
import { getCurrentTraceIds, onSpanEnd } from './trace.ts'

export type Log = Logger

/**
 * Writes one JSON object per line; lines of a request or task contain `requestId`, `jobId`, `taskName` where known, and
 * the `traceId` and `spanId` of their trace. With `LOG_SPANS`, the spans of the process have lines of their own.
 */
export function createLog(
  config: Pick<Config, 'LOG_LEVEL' | 'LOG_FILE'> &
    Partial<Pick<Config, 'LOG_SPANS' | 'OTEL_EXPORTER_OTLP_ENDPOINT'>>,
  destination: DestinationStream = openDestination(config.LOG_FILE ?? 1),
): Log {
  const options = {
    level: config.LOG_LEVEL,
    base: null,
    mixin: getCurrentTraceIds,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: pino.stdSerializers.errWithCause },
  }
  if (config.LOG_SPANS === '1' && config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined)
    onSpanEnd((span) => destination.write(`${toOtlpLine(span)}\n`))
  return pino(options, destination)
}

/** Maximum number of characters buffered while the disk accepts no writes. */
const maxBufferedCharacters = 1024 ** 2

function openDestination(dest: string | number): DestinationStream {
  // Writing is synchronous, so that the last lines of a process that crashes are written.
  const destination = pino.destination({ dest, sync: true, mkdir: true, maxLength: maxBufferedCharacters })
  // Logging must never make the caller fail. Lines that could not be written are kept and written with the next line.
  destination.on('error', () => undefined)
  return destination
}
