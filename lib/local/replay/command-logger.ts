// What a run shows while it goes on: its steps, each program with its arguments, and the program's own words.
import type { DestinationStream } from 'pino'
import type { OnCommand } from '../../engines/sandbox/exec.ts'
import { parseLine } from './log-files.ts'
import type { Printer } from './printer.ts'

/** Takes log lines of the run; programs that failed are told by `printedCommands`. */
export function stepPrinter(printer: Printer): DestinationStream {
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

/** Programs run beside each other at times, so each line says whose it is. */
export function commandPrinter(printer: Printer): OnCommand {
  let last = 0
  return (bin, args) => {
    const id = `  [${++last}]`
    const words = [bin, ...args].map((word) => quoteForShell(printer.redact(word)))
    printer.line(`${id} $ ${words.join(' ')}`)
    const decoder = new TextDecoder()
    let rest = ''
    return {
      // Whole lines, so that no password slips through in two halves.
      stderr(chunk) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|[\r\n]/)
        rest = lines.pop() ?? ''
        for (const line of lines) printer.line(`${id} | ${line}`)
      },
      ended({ how, ms }) {
        if (rest) printer.line(`${id} | ${rest}`)
        printer.line(`${id} ${how} after ${ms} ms`)
      },
    }
  }
}

/** As a shell reads it, to be copied and run. */
const quoteForShell = (word: string) =>
  /^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
