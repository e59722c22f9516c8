interface Section {
  /** In the usual order, with what a file means that does not name one. */
  readonly fields: readonly (readonly [name: string, otherwise?: string])[]
  /** Without these nothing can be made of its lines. */
  readonly required: readonly string[]
}

/** By the headings of a file; SSA has fields of its own for styles, and another name for the first of its lines. */
const sections: Readonly<Record<string, Section>> = {
  events: {
    fields: [
      ['Layer', '0'],
      ['Start'],
      ['End'],
      ['Style', 'Default'],
      ['Name'],
      ...(['MarginL', 'MarginR', 'MarginV'] as const).map((name) => [name, '0'] as const),
      ['Effect'],
      ['Text'],
    ],
    required: ['start', 'end', 'text'],
  },
  'v4+ styles': {
    fields: [
      ...([['Name'], ['Fontname', 'Arial'], ['Fontsize', '18'], ['PrimaryColour', '&H00FFFFFF']] as const),
      ...([
        ['SecondaryColour', '&H000000FF'],
        ['OutlineColour', '&H00000000'],
      ] as const),
      ...([
        ['BackColour', '&H00000000'],
        ['Bold', '0'],
        ['Italic', '0'],
        ['Underline', '0'],
      ] as const),
      ...([
        ['StrikeOut', '0'],
        ['ScaleX', '100'],
        ['ScaleY', '100'],
        ['Spacing', '0'],
        ['Angle', '0'],
      ] as const),
      ...([
        ['BorderStyle', '1'],
        ['Outline', '1'],
        ['Shadow', '0'],
        ['Alignment', '2'],
      ] as const),
      ...([
        ['MarginL', '10'],
        ['MarginR', '10'],
        ['MarginV', '10'],
        ['Encoding', '0'],
      ] as const),
    ],
    required: ['name'],
  },
}

/**
 * Subtitles whose lines have all fields in the usual order. Each file says itself which fields its lines have, but
 * ffmpeg looks for the times where they are as a rule, and takes a color that is not named for black.
 */
export function normalizeFields(text: string): string {
  let section: Section | undefined
  let fileFields: readonly string[] | undefined
  const convertLine = (line: string): string => {
    const heading = /^\s*\[(.+)\]\s*$/.exec(line)
    if (heading) {
      section = sections[heading[1]?.toLowerCase() ?? '']
      fileFields = undefined
    }
    const [, kind = '', rest = ''] = /^\s*(Format|Dialogue|Comment|Style):\s*(.*?)\r?$/i.exec(line) ?? []
    if (!section || kind === '') return line
    if (kind.toLowerCase() !== 'format')
      return fileFields ? `${kind}: ${reorderFields(rest, fileFields, section)}` : line
    const names = rest.split(',').map((name) => name.trim().toLowerCase())
    fileFields = isUnusual(names, section) ? names : undefined
    return fileFields ? `Format: ${section.fields.map(([name]) => name).join(', ')}` : line
  }
  return text.split('\n').map(convertLine).join('\n')
}

function isUnusual(names: readonly string[], { fields, required }: Section): boolean {
  if (!required.every((name) => names.includes(name))) return false
  return (
    names.length !== fields.length ||
    fields.slice(1).some(([name], at) => names[at + 1] !== name.toLowerCase())
  )
}

/** The last field may have commas of its own. */
function reorderFields(line: string, names: readonly string[], { fields }: Section): string {
  const columns = line.split(',')
  const lastColumn = names.length - 1
  const values = [...columns.slice(0, lastColumn), columns.slice(lastColumn).join(',')]
  const byName = new Map(names.map((name, at) => [name, values[at]?.trim()]))
  return fields.map(([name, defaultValue = '']) => byName.get(name.toLowerCase()) ?? defaultValue).join(',')
}
