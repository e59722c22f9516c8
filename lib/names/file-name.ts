import filenamify from 'filenamify'

const maxNameLength = 200
/** Maximum number of characters passed to filenamify, whose time grows with the square of the number of spaces. */
const maxInspectedLength = 1000

/** Cleans a client's filename for display and download: removes folders, control characters and reserved names. */
export function sanitizeFileName(givenName: string | undefined): string {
  const lastSegment = (givenName ?? '').replaceAll('\\', '/').split('/').at(-1) ?? ''
  const base = lastSegment.slice(0, maxInspectedLength)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed
  const safeBase = filenamify(base.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, ''), {
    replacement: '_',
    maxLength: maxNameLength,
  })
  return /^[._]*$/.test(safeBase) ? 'file' : safeBase
}

const maxFolderDepth = 32
const maxPathLength = 1000

/**
 * Cleans a folder path within an archive, such as `album/2024`. Returns undefined for a path that could leave the
 * archive.
 */
export function sanitizeFolderPath(givenPath: string): string | undefined {
  const folders = givenPath.split('/')
  const isHostile = (folder: string) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are rejected
    /^\s*(?:\.{1,2}\s*)?$|[\\\u0000-\u001f\u007f]/.test(folder)
  if (givenPath.length > maxPathLength || folders.length > maxFolderDepth || folders.some(isHostile))
    return undefined
  return folders.map(sanitizeFileName).join('/')
}

/**
 * Replaces the extension: `report.final.docx` with `pdf` becomes `report.final.pdf`, and `files.tar.gz` with `zip`
 * becomes `files.zip`.
 */
export function withExtension(name: string, extension: string): string {
  return `${name.replace(/(?<=.)(?:\.tar)?\.[^.]*$/i, '')}.${extension}`
}

/** Adds a suffix: `report.pdf` with `-page-1` becomes `report-page-1.pdf`. */
export function withSuffix(name: string, suffix: string | undefined): string {
  if (!suffix) return name
  const dot = name.lastIndexOf('.')
  return dot > 0 ? `${name.slice(0, dot)}${suffix}${name.slice(dot)}` : `${name}${suffix}`
}

/** Values for the placeholders of a result's name template. */
interface NameParts {
  /** The name that the result has without a template, with its extension. */
  readonly name: string
  readonly jobId: string
  /** Index of the result, from 0. */
  readonly index: number
  /** Timestamp of the result (RFC 3339). */
  readonly date: string
}

/**
 * Fills in a template: `{name}-{index}.{ext}` with `a.pdf` becomes `a-1.pdf`. The extension is added if the template
 * has none.
 */
export function createNameFromTemplate(template: string, { name, jobId, index, date }: NameParts): string {
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 ? name.slice(dot + 1) : ''
  const values: Readonly<Record<string, string>> = {
    name: dot > 0 ? name.slice(0, dot) : name,
    ext: extension,
    jobId,
    index: String(index + 1),
    date: date.slice(0, 10),
  }
  const filledName = template.replace(
    /\{(name|ext|jobId|index|date)\}/g,
    (_, key: string) => values[key] ?? '',
  )
  const hasExtension = extension === '' || filledName.toLowerCase().endsWith(`.${extension.toLowerCase()}`)
  return sanitizeFileName(hasExtension ? filledName : `${filledName}.${extension}`)
}
