import pino, { type DestinationStream, type Logger } from 'pino'
import type { Config } from './config.ts'

export type Log = Logger

/** One JSON object a line; every line of a request or task carries `requestId`, `jobId`, `taskName` where known. */
export function createLog(
  config: Pick<Config, 'LOG_LEVEL' | 'LOG_FILE'>,
  // Synchronous, so that the last words of a process that dies are there.
  destination: DestinationStream = pino.destination({ dest: config.LOG_FILE ?? 1, sync: true, mkdir: true }),
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
