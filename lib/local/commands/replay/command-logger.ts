// Prints the progress of a run: its steps, and each program with its arguments and output.
import type { DestinationStream } from 'pino'
import type { OnCommand } from '../../../engines/sandbox/exec.ts'
import { parseLine } from './log-files.ts'
import type { Printer } from './printer.ts'

/**
 * Returns a stream that prints the log lines of the run, except failed programs, which `createCommandPrinter` prints.
 */
export function createStepPrinter(printer: Printer): DestinationStream {
  return {
    write(text) {
      const line = parseLine(text)
      if (!line || line.msg === 'command failed') return
      const { msg, engine, engineVersion = '', from, to, ms } = line
      const time = ms === undefined ? '' : ` after ${ms} ms`
      printer.line(`  ${msg}: ${`${engine} ${engineVersion}`.trim()} ${from} to ${to}${time}`)
    },
  }
}

/** Prints programs and their output. Each line has the number of its program, as several may run at the same time. */
export function createCommandPrinter(printer: Printer): OnCommand {
  let lastProgramNumber = 0
  return (program, args) => {
    const id = `  [${++lastProgramNumber}]`
    const words = [program, ...args].map((word) => quoteForShell(printer.redact(word)))
    printer.line(`${id} $ ${words.join(' ')}`)
    const decoder = new TextDecoder()
    let remainingText = ''
    return {
      // Only complete lines are printed, so that a password that is split between two chunks is still hidden.
      stderr(chunk) {
        const lines = (remainingText + decoder.decode(chunk, { stream: true })).split(/\r\n|[\r\n]/)
        remainingText = lines.pop() ?? ''
        for (const line of lines) printer.line(`${id} | ${line}`)
      },
      ended({ how, ms }) {
        if (remainingText) printer.line(`${id} | ${remainingText}`)
        printer.line(`${id} ${how} after ${ms} ms`)
      },
    }
  }
}

/** Quotes a word so that the command can be pasted into a shell. */
const quoteForShell = (word: string) =>
  /^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
