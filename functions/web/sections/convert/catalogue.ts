import type { Format } from '../../api.ts'
import words from './words/en.ts'

/** What the page knows of formats: which one a file is by its name, what it can become, what is asked for most. */

export type Category = Format['category']

export const categoryNames: Readonly<Record<Category, string>> = words.categories

/** Keys of a const table. */
export const categories = Object.keys(words.categories) as readonly Category[]

/** Asked for most, first. A format without a row of its own is served by its category. */
const likely: Readonly<Record<string, readonly string[]>> = {
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
  heic: ['jpg', 'png', 'pdf', 'webp'],
  svg: ['png', 'pdf', 'jpg', 'webp'],
  gif: ['mp4', 'webp', 'png', 'webm', 'jpg'],
  pdf: ['docx', 'jpg', 'png', 'txt', 'html', 'pdf'],
  md: ['html', 'pdf', 'docx', 'epub', 'odt'],
  epub: ['pdf', 'mobi', 'azw3', 'docx', 'txt'],
}
const mostLikely = 5

export interface Catalogue {
  readonly formats: readonly Format[]
  byId(id: string): Format | undefined
  /** By its extension, the longest that fits (`tar.gz` before `gz`), else by the type that the browser tells. */
  ofFile(file: { readonly name: string; readonly type: string }): Format | undefined
  /** Every format that can be written when the source is not known: the content decides. */
  targetsOf(source: Format | undefined): readonly Format[]
}

export function createCatalogue(formats: readonly Format[]): Catalogue {
  const ids = new Map(formats.map((format) => [format.id, format]))
  const readable = formats.filter(({ canRead }) => canRead)
  const find = (fits: (format: Format) => boolean) => readable.find(fits) ?? formats.find(fits)
  return {
    formats,
    byId: (id) => ids.get(id),
    ofFile: ({ name, type }) => {
      const parts = name.toLowerCase().split('.').slice(1)
      const endings = parts.map((_, at) => parts.slice(at).join('.'))
      for (const ending of endings) {
        const format = find(({ extensions }) => extensions.includes(ending))
        if (format) return format
      }
      return type ? find(({ mimeTypes }) => mimeTypes.includes(type)) : undefined
    },
    targetsOf: (source) => {
      if (!source) return formats.filter(({ canWrite }) => canWrite)
      return source.targets.map((id) => ids.get(id)).filter((format) => format !== undefined)
    },
  }
}

/** The few that stand as buttons. */
export function likelyTargets(source: Format | undefined, targets: readonly Format[]): readonly Format[] {
  const order = source
    ? (likely[source.id] ?? likely[source.category] ?? [])
    : ['pdf', 'jpg', 'png', 'mp4', 'mp3']
  const wanted = order
    .filter((id) => id !== source?.id)
    .map((id) => targets.find((target) => target.id === id))
  const found = wanted.filter((format) => format !== undefined)
  return (found.length > 0 ? found : targets).slice(0, mostLikely)
}

/** Those that every one of several files can become. */
export function commonTargets(lists: readonly (readonly Format[])[]): readonly Format[] {
  const [first = [], ...others] = lists
  return first.filter((format) => others.every((list) => list.includes(format)))
}
