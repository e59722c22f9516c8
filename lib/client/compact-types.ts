const maxLineLength = 110

/**
 * Makes the output of json-schema-to-typescript compact: a comment that contains one line of text is written on a
 * single line, and so is a small object.
 */
export function compactTypes(types: string): string {
  const compacted = types
    .replaceAll(
      /\n \*( \n \*)? This interface was referenced by `Api`'s JSON-Schema\n \* via the `definition` "\w+"\./g,
      '',
    )
    .replaceAll(/^\/\*\*\n \*\/\n/gm, '')
    .replaceAll(/^\/\*\*\n \* (.*)\n \*\/$/gm, '/** $1 */')
  const lines: string[] = []
  /** Indexes in `lines` of the objects that are still open. */
  const openIndexes: number[] = []
  for (const line of compacted.split('\n')) {
    if (line.startsWith('}')) closeObject(lines, openIndexes, line)
    else lines.push(`${'  '.repeat(openIndexes.length)}${line}`)
    if (line.endsWith('{')) openIndexes.push(lines.length - 1)
  }
  return lines.join('\n')
}

function closeObject(lines: string[], openIndexes: number[], line: string): void {
  const at = openIndexes.pop() ?? 0
  const [first = '', ...members] = lines.slice(at)
  const wholeType = `${first} ${members.map((member) => member.trim()).join('; ')} ${line}`
  const isSmall =
    wholeType.length <= maxLineLength &&
    openIndexes.length > 0 &&
    !wholeType.includes('/**') &&
    members.every((member) => !member.endsWith('{'))
  if (isSmall) lines.splice(at, lines.length, wholeType)
  else lines.push(`${'  '.repeat(openIndexes.length)}${line}`)
}
