// Formats log lines for people, and extracts the output of engines.
import * as z from 'zod'
import type { LogRecord } from './log-files.ts'
import type { Printer } from './printer.ts'

/** An error in the format of pino's serializer. */
const LoggedError = z.looseObject({
  type: z.string().default('Error'),
  message: z.string().default(''),
  stack: z.string().optional(),
  code: z.unknown().optional(),
  /** Path of the program that failed. */
  bin: z.string().optional(),
  cause: z.unknown().optional(),
})
type LoggedError = z.infer<typeof LoggedError>

const maxFieldLength = 160
const shorten = (text: string) => {
  const [firstLine = ''] = text.trim().split('\n')
  return firstLine.length > maxFieldLength ? `${firstLine.slice(0, maxFieldLength)}…` : firstLine
}

/** Fields that are shown elsewhere in the report, or are the same on every line. */
const omittedFields: readonly string[] = [
  'time',
  'level',
  'msg',
  'jobId',
  'requestId',
  'traceId',
  'spanId',
  'stderr',
  'error',
  '_aws',
]

export function formatLogLine(line: LogRecord): string {
  const { time, level, msg } = line
  const fields = Object.entries(line)
    .filter(([name]) => !omittedFields.includes(name))
    .map(([name, value]) => `${name}=${shorten(typeof value === 'string' ? value : JSON.stringify(value))}`)
  const error = line['error'] === undefined ? [] : [`error=${formatError(line['error'])}`]
  return [time.slice(0, 23).replace('T', ' '), level.padEnd(5), msg, ...fields, ...error].join('  ')
}

function formatError(error: unknown): string {
  if (typeof error === 'string') return shorten(error)
  const parsed = LoggedError.safeParse(error).data
  return parsed ? `${formatErrorName(parsed)}: ${shorten(parsed.message)}` : shorten(JSON.stringify(error))
}

const formatErrorName = ({ type, code }: LoggedError) =>
  code === undefined ? type : `${type} ${String(code)}`

const FailedCommand = z.looseObject({
  msg: z.literal('command failed'),
  command: z.string(),
  how: z.string(),
  ms: z.number(),
  stderr: z.string(),
})

/** Prints the output of failed programs, and the causes of the error that the client got. */
export function printEngineOutput(lines: readonly LogRecord[], printer: Printer): void {
  const commands = new Set<string>()
  const printedLines = new Set<string>()
  for (const line of lines) {
    const failedCommand = FailedCommand.safeParse(line).data
    if (failedCommand) {
      const { command, how, ms, stderr } = failedCommand
      printer.line(`  ${command}: ${how} after ${ms} ms${stderr.trim() ? '' : ', no output'}`)
      if (stderr.trim()) printer.printQuote(stderr)
      commands.add(command)
    }
    for (const cause of listCauses(line)) {
      const output = (cause.stack ?? cause.message).trim()
      // The error of a failed program repeats output that was just printed.
      if (commands.has(cause.bin ?? '') || printedLines.has(output)) continue
      printer.line(`  ${formatErrorName(cause)}`)
      printer.printQuote(output)
      printedLines.add(output)
    }
  }
  if (commands.size + printedLines.size === 0) printer.line('  nothing was logged')
}

/** Returns the causes of a client error; for a bug or a crash, the error itself and its causes. */
function listCauses(line: LogRecord): LoggedError[] {
  const causes: LoggedError[] = []
  const error = LoggedError.safeParse(line['error']).data
  let cause = error?.type === 'AppError' ? LoggedError.safeParse(error.cause).data : error
  while (cause) {
    causes.push(cause)
    cause = LoggedError.safeParse(cause.cause).data
  }
  return causes
}
