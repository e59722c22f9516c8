interface Section {
  /** In the usual order, with what a file means that does not name one. */
  readonly fields: readonly (readonly [name: string, otherwise?: string])[]
  /** Without these nothing can be made of its lines. */
  readonly needed: readonly string[]
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
    needed: ['start', 'end', 'text'],
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
    needed: ['name'],
  },
}

/**
 * Subtitles whose lines have all fields in the usual order. Each file says itself which fields its lines have, but
 * ffmpeg looks for the times where they are as a rule, and takes a color that is not named for black.
 */
export function withUsualFields(text: string): string {
  let section: Section | undefined
  let given: readonly string[] | undefined
  const line = (before: string): string => {
    const heading = /^\s*\[(.+)\]\s*$/.exec(before)
    if (heading) {
      section = sections[heading[1]?.toLowerCase() ?? '']
      given = undefined
    }
    const [, kind = '', rest = ''] = /^\s*(Format|Dialogue|Comment|Style):\s*(.*?)\r?$/i.exec(before) ?? []
    if (!section || kind === '') return before
    if (kind.toLowerCase() !== 'format')
      return given ? `${kind}: ${rearranged(rest, given, section)}` : before
    const named = rest.split(',').map((name) => name.trim().toLowerCase())
    given = isUnusual(named, section) ? named : undefined
    return given ? `Format: ${section.fields.map(([name]) => name).join(', ')}` : before
  }
  return text.split('\n').map(line).join('\n')
}

function isUnusual(given: readonly string[], { fields, needed }: Section): boolean {
  if (!needed.every((name) => given.includes(name))) return false
  return (
    given.length !== fields.length ||
    fields.slice(1).some(([name], at) => given[at + 1] !== name.toLowerCase())
  )
}

/** The last field may have commas of its own. */
function rearranged(line: string, given: readonly string[], { fields }: Section): string {
  const parts = line.split(',')
  const last = given.length - 1
  const values = [...parts.slice(0, last), parts.slice(last).join(',')]
  const byName = new Map(given.map((name, at) => [name, values[at]?.trim()]))
  return fields.map(([name, otherwise = '']) => byName.get(name.toLowerCase()) ?? otherwise).join(',')
}
