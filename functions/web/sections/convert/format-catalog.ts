import { keysOf } from '../../../../lib/validation/keys-of.ts'
import type { Format } from '../../api.ts'
import words from './words/en.ts'

/** The formats, with indexes by id, extension and media type, and the targets of each format. */

export type Category = Format['category']

export const categoryNames: Readonly<Record<Category, string>> = words.categories

export const categories = keysOf(words.categories)

/** Target ids per source format, most popular first. Formats without an entry use the list of their category. */
const popularTargets: Readonly<Record<string, readonly string[]>> = {
  image: ['jpg', 'png', 'webp', 'pdf', 'avif', 'gif', 'svg', 'tiff'],
  document: [
    'pdf',
    'docx',
    'xlsx',
    'pptx',
    'odt',
    'html',
    'txt',
    'csv',
    'odp',
    'ods',
    'svg',
    'epub',
    'jpg',
    'rtf',
  ],
  ebook: ['epub', 'mobi', 'azw3', 'pdf', 'docx', 'txt', 'fb2'],
  video: ['mp4', 'webm', 'mov', 'gif', 'mp3', 'mkv'],
  audio: ['mp3', 'wav', 'm4a', 'ogg', 'flac', 'opus'],
  archive: ['zip', '7z', 'tar.gz', 'tgz', 'tar'],
  font: ['woff2', 'ttf', 'otf', 'woff', 'eot'],
  docx: ['pdf', 'jpg', 'txt', 'html', 'odt'],
  heic: ['jpg', 'png', 'pdf', 'webp'],
  svg: ['png', 'pdf', 'jpg', 'webp'],
  gif: ['mp4', 'webp', 'png', 'webm', 'jpg'],
  pdf: ['docx', 'jpg', 'png', 'txt', 'html', 'xlsx', 'pptx', 'epub', 'csv'],
  md: ['html', 'pdf', 'docx', 'epub', 'odt'],
  epub: ['pdf', 'mobi', 'azw3', 'docx', 'txt'],
}
const maxSuggestions = 5

export interface FormatCatalog {
  readonly formats: readonly Format[]
  findById(id: string): Format | undefined
  /**
   * Finds the format by the longest matching extension (`tar.gz` before `gz`), else by the type reported by the
   * browser.
   */
  findByFile(file: { readonly name: string; readonly type: string }): Format | undefined
  /**
   * Returns the targets of a format. For an unknown format, returns all formats that can be written, because the
   * service detects the format from the content. Returns the same array for the same format.
   */
  getTargets(source: Format | undefined): readonly Format[]
}

export function createFormatCatalog(formats: readonly Format[]): FormatCatalog {
  const formatsById = new Map(formats.map((format) => [format.id, format]))
  // Readable formats come first, in case several share an extension or media type.
  const readableFirst = [...formats.filter(({ canRead }) => canRead), ...formats]
  const formatsByExtension = indexFirstBy(readableFirst, ({ extensions }) => extensions)
  const formatsByType = indexFirstBy(readableFirst, ({ mimeTypes }) => mimeTypes)
  const targets = new Map<Format | undefined, readonly Format[]>([
    [undefined, formats.filter(({ canWrite }) => canWrite)],
  ])
  return {
    formats,
    findById: (id) => formatsById.get(id),
    findByFile: ({ name, type }) => {
      const suffixes = name.toLowerCase().split('.').slice(1)
      const extensions = suffixes.map((_, at) => suffixes.slice(at).join('.'))
      const extension = extensions.find((each) => formatsByExtension.has(each))
      return extension === undefined ? formatsByType.get(type) : formatsByExtension.get(extension)
    },
    getTargets: (source) => {
      const cachedTargets = targets.get(source)
      if (cachedTargets) return cachedTargets
      const result = (source?.targets ?? [])
        .map((id) => formatsById.get(id))
        .filter((format) => format !== undefined)
      targets.set(source, result)
      return result
    },
  }
}

/** Maps each key to the first format that has it. */
function indexFirstBy(formats: readonly Format[], getKeys: (format: Format) => readonly string[]) {
  const result = new Map<string, Format>()
  for (const format of formats)
    for (const key of getKeys(format)) if (!result.has(key)) result.set(key, format)
  return result
}

/** Returns the few targets that are shown as buttons. */
export function suggestTargets(source: Format | undefined, targets: readonly Format[]): readonly Format[] {
  const suggestions = getPopularTargets(source)
    .filter((id) => id !== source?.id)
    .map((id) => targets.find((target) => target.id === id))
  const result = suggestions.filter((format) => format !== undefined)
  return (result.length > 0 ? result : targets).slice(0, maxSuggestions)
}

const getPopularTargets = (source: Format | undefined): readonly string[] =>
  source
    ? (popularTargets[source.id] ?? popularTargets[source.category] ?? [])
    : ['pdf', 'jpg', 'png', 'mp4', 'mp3']

/** Sorts targets by popularity: first those that are popular for the source format, then those for other formats. */
export function sortByPopularity(source: Format | undefined, targets: readonly Format[]): readonly Format[] {
  const order = [...getPopularTargets(source), ...Object.values(popularTargets).flat()]
  const indexes = new Map(targets.map((format) => [format, order.indexOf(format.id) >>> 0]))
  return targets.toSorted((a, b) => (indexes.get(a) ?? 0) - (indexes.get(b) ?? 0))
}

/**
 * Returns the targets that all files have in common. Files of the same format share an array, so comparing few arrays
 * is enough.
 */
export function findCommonTargets(lists: readonly (readonly Format[])[]): readonly Format[] {
  const [firstTargets = [], ...otherTargets] = new Set(lists)
  return firstTargets.filter((format) => otherTargets.every((list) => list.includes(format)))
}
