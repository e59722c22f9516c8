import { archive } from './archive.ts'
import { audio } from './audio.ts'
import { document } from './document.ts'
import { ebook } from './ebook.ts'
import { font } from './font.ts'
import type { FormatRow } from './format.ts'
import { image } from './image.ts'
import { video } from './video.ts'

const formatRowsByCategory = { video, audio, image, document, ebook, archive, font } as const

export type Category = keyof typeof formatRowsByCategory
export type FormatId = (typeof formatRowsByCategory)[Category][number]['id']

export interface Format extends FormatRow {
  readonly id: FormatId
  readonly category: Category
}

export const categories = [
  'video',
  'audio',
  'image',
  'document',
  'ebook',
  'archive',
  'font',
] as const satisfies readonly Category[]

export const formats: readonly Format[] = categories.flatMap((category) =>
  formatRowsByCategory[category].map((row) => ({ ...row, category })),
)

const formatsById: ReadonlyMap<string, Format> = new Map(formats.map((format) => [format.id, format]))

/** An extension that several formats share belongs to the first of them in the registry. */
const formatsByExtension = createFirstWinsMap(
  formats.flatMap((format) => format.extensions.map((name) => [name, format])),
)

const formatsByAlias = createFirstWinsMap([
  ...formatsById,
  ...formatsByExtension,
  ...formats.flatMap((format) => (format.aliases ?? []).map((name): [string, Format] => [name, format])),
])

function createFirstWinsMap(entries: readonly (readonly [string, Format])[]): ReadonlyMap<string, Format> {
  return new Map([...entries].reverse())
}

export function isFormatId(id: string): id is FormatId {
  return formatsById.has(id)
}

export function formatById(id: FormatId): Format {
  const format = formatsById.get(id)
  if (!format) throw new Error(`The format ${id} is not in the registry.`)
  return format
}

/** Returns all names of a format in lower case. */
export const listFormatNames = ({
  id,
  name,
  extensions,
  aliases = [],
}: Pick<Format, 'name' | 'extensions' | 'aliases'> & { readonly id: string }): string[] => [
  id,
  name.toLowerCase(),
  ...extensions,
  ...aliases,
]

/** Returns the format for a name from a client, such as `jpeg`, `.TIF` or `matroska`. */
export function formatByAlias(name: string): Format | undefined {
  return formatsByAlias.get(name.trim().toLowerCase().replace(/^\./, ''))
}

/** Accepts an extension with or without a dot, or a whole file name; `tar.gz` is one extension. */
export function formatByExtension(name: string): Format | undefined {
  const lowerCaseName = name.toLowerCase()
  const tarExtension = /(?:^|\.)(tar\.[a-z0-9]+)$/.exec(lowerCaseName)?.[1]
  return (
    (tarExtension !== undefined ? formatsByAlias.get(tarExtension) : undefined) ??
    formatsByExtension.get(lowerCaseName.slice(lowerCaseName.lastIndexOf('.') + 1))
  )
}
