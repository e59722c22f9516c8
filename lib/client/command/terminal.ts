import { takesColor } from './environment.ts'

/** Where a command says things: results on stdout, everything else on stderr. */
export interface Terminal {
  /** Whether somebody watches. */
  readonly isWatched: boolean
  readonly isJson: boolean
  /** A line of the result. */
  result(line: string): void
  /** A line for whoever watches, or reads the log. */
  note(line: string): void
  /** Lines that stay at the bottom and change; none takes them away. */
  draw(lines: readonly string[]): void
}

interface Stream {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

export function openTerminal(
  { isJson, isQuiet }: { isJson: boolean; isQuiet: boolean },
  stdout: Stream = process.stdout,
  stderr: Stream = process.stderr,
): Terminal {
  const isWatched = Boolean(stderr.isTTY) && !isQuiet && !isJson && takesColor
  let drawn = 0
  const wipe = () => {
    if (drawn > 0) stderr.write(`\u001b[${drawn}A\u001b[J`)
    drawn = 0
  }
  let standing: readonly string[] = []
  const show = (lines: readonly string[]) => {
    const width = (stderr.columns ?? 80) - 1
    if (lines.length > 0) stderr.write(`${lines.map((line) => line.slice(0, width)).join('\n')}\n`)
    drawn = lines.length
  }
  const between = (write: () => void) => {
    wipe()
    write()
    show(standing)
  }
  return {
    ...{ isWatched, isJson },
    result: (line) => between(() => stdout.write(`${line}\n`)),
    note: (line) => {
      if (!isQuiet) between(() => stderr.write(`${line}\n`))
    },
    draw: (lines) => {
      if (!isWatched) return
      standing = lines
      wipe()
      show(lines)
    },
  }
}

export const bar = (share: number, width = 24): string => {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width)
  return `${'█'.repeat(full)}${'░'.repeat(width - full)}`
}

export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const value = bytes / 1000 ** at
  return `${at > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[at]}`
}

/** Columns of text, each as wide as its widest cell. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, at) => Math.max(most[at] ?? 0, cell.length)),
    [],
  )
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
