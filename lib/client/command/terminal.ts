import { supportsColor } from './environment.ts'

/** Output of a command: results on stdout, everything else on stderr. */
export interface Terminal {
  /** Whether progress bars can be drawn. */
  readonly isInteractive: boolean
  readonly isJson: boolean
  /** Prints a line of the result. */
  result(line: string): void
  /** Prints a message on stderr, for the user or a log. */
  note(line: string): void
  /** Replaces the progress lines at the bottom of the screen; an empty list removes them. */
  draw(lines: readonly string[]): void
}

interface Stream {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

export function openTerminal(
  {
    isJson,
    isQuiet,
    isCapable = supportsColor,
  }: { isJson: boolean; isQuiet: boolean /** Whether the terminal can redraw lines. */; isCapable?: boolean },
  stdout: Stream = process.stdout,
  stderr: Stream = process.stderr,
): Terminal {
  const isInteractive = Boolean(stderr.isTTY) && !isQuiet && !isJson && isCapable
  let drawnLines: readonly string[] = []
  /** Erases the progress lines and redraws them in a single write, to avoid flicker. */
  const paint = (lines: readonly string[], textAbove = '') => {
    const up = drawnLines.length > 0 ? `\u001b[${drawnLines.length}A\u001b[J` : ''
    const width = (stderr.columns ?? 80) - 1
    const text = lines.map((line) => `${truncateToWidth(width, stripControls(line))}\n`).join('')
    if (up || textAbove || text) stderr.write(`${up}${textAbove}${text}`)
    drawnLines = lines
  }
  return {
    isInteractive,
    isJson,
    result: (line) => {
      const lines = drawnLines
      paint([])
      stdout.write(`${line}\n`)
      paint(lines)
    },
    note: (line) => {
      if (!isQuiet) paint(drawnLines, `${stripControls(line)}\n`)
    },
    draw: (lines) => {
      if (isInteractive && lines.join('\n') !== drawnLines.join('\n')) paint(lines)
    },
  }
}

/** Replaces control characters, because filenames may contain terminal escape sequences. */
const stripControls = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029]/gu, (control) => (control === '\n' ? control : '�'))

const wideCharacterPattern =
  /\p{Extended_Pictographic}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u

/**
 * Truncates a line to the width of the terminal: if a line wrapped into two rows, redrawing would leave one of them
 * behind.
 */
export function truncateToWidth(cells: number, line: string): string {
  let remainingCells = cells
  let text = ''
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    remainingCells -= wideCharacterPattern.test(segment) ? 2 : 1
    if (remainingCells < 0) break
    text += segment
  }
  return text
}

export const renderBar = (fraction: number, width = 24): string => {
  const fullCells = Math.floor(Math.min(1, Math.max(0, fraction)) * width)
  return `${'█'.repeat(fullCells)}${'░'.repeat(width - fullCells)}`
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const value = bytes / 1000 ** at
  return `${at > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[at]}`
}

/** Aligns rows in columns, each as wide as its widest cell. */
export function formatColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (columnWidths, row) => row.map((cell, at) => Math.max(columnWidths[at] ?? 0, cell.length)),
    [],
  )
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
