import pino, { type DestinationStream, type Logger } from 'pino'
import type { Config } from './config.ts'

export type Log = Logger

/** One JSON object a line; every line of a request or task carries `requestId`, `jobId`, `taskName` where known. */
export function createLog(
  config: Pick<Config, 'LOG_LEVEL' | 'LOG_FILE'>,
  destination: DestinationStream = openDestination(config.LOG_FILE ?? 1),
): Log {
  const options = {
    level: config.LOG_LEVEL,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: pino.stdSerializers.errWithCause },
  }
  return pino(options, destination)
}

/** Characters that wait for a disk that takes none. */
const maxBufferedCharacters = 1024 ** 2

function openDestination(dest: string | number): DestinationStream {
  // Synchronous, so that the last words of a process that dies are there.
  const destination = pino.destination({ dest, sync: true, mkdir: true, maxLength: maxBufferedCharacters })
  // Whoever says something must not fail for it. What could not be written goes out before the next line that can.
  destination.on('error', () => undefined)
  return destination
}
