interface Section {
  /** Fields in the usual order, with their default values. */
  readonly fields: readonly (readonly [name: string, defaultText?: string])[]
  /** Fields without which the lines cannot be used. */
  readonly required: readonly string[]
}

/**
 * Sections by their headings. SSA differs from ASS in its style fields and in the name of the first field of its
 * events.
 */
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
 * Rearranges the lines of ASS subtitles so that they have all fields in the usual order. Each file declares its own
 * field order, but ffmpeg expects the times at their usual position and treats missing colors as black.
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
    const [, kind = '', rest = ''] =
      /^\s{0,99}(Format|Dialogue|Comment|Style):[^\S\r\n]{0,99}([^\r\n]*)\r?$/i.exec(line) ?? []
    if (!section || kind === '') return line
    if (kind.toLowerCase() !== 'format')
      return fileFields ? `${kind}: ${reorderFields(rest, fileFields, section)}` : line
    const names = rest.split(',').map((name) => name.trim().toLowerCase())
    fileFields = hasNonStandardFields(names, section) ? names : undefined
    return fileFields ? `Format: ${section.fields.map(([name]) => name).join(', ')}` : line
  }
  return text.split('\n').map(convertLine).join('\n')
}

function hasNonStandardFields(names: readonly string[], { fields, required }: Section): boolean {
  if (!required.every((name) => names.includes(name))) return false
  return (
    names.length !== fields.length ||
    fields.slice(1).some(([name], at) => names[at + 1] !== name.toLowerCase())
  )
}

/** Puts the fields of a line into the usual order. The last field may contain commas. */
function reorderFields(line: string, names: readonly string[], { fields }: Section): string {
  const columns = line.split(',')
  const lastColumn = names.length - 1
  const values = [...columns.slice(0, lastColumn), columns.slice(lastColumn).join(',')]
  const valuesByName = new Map(names.map((name, at) => [name, values[at]?.trim()]))
  return fields
    .map(([name, defaultValue = '']) => valuesByName.get(name.toLowerCase()) ?? defaultValue)
    .join(',')
}
