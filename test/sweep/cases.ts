import { readdirSync } from 'node:fs'
import { extname } from 'node:path'
import { type Category, type FormatId, formatByExtension, formatById } from '../../lib/formats/index.ts'
import { conversions } from '../plan/with-all-engines.ts'
import { mutations, pickWrongExtension } from './mutations.ts'
import { createSeededRandom, pickOne } from './seeded-random.ts'
import { archives, fonts } from './variants/archives-and-fonts.ts'
import { audioVariants } from './variants/audio.ts'
import { chains, documents } from './variants/documents.ts'
import { imageVariants } from './variants/images.ts'
import { fixture, type Variant } from './variants/variant.ts'
import { videoVariants } from './variants/videos.ts'

/** Source of the file of a case before it is mutated. */
export type CaseOrigin =
  | { readonly fixture: string }
  | { readonly variant: Variant }
  | { readonly source: string; readonly as: FormatId }

export interface Case {
  /** Unique in the sweep and the same on every machine. */
  readonly id: string
  readonly area: Category
  readonly origin: CaseOrigin
  /** `whole`, `wrong extension` or a name of `mutations`. */
  readonly kind: string
  /** Name of the file when it is sent. */
  readonly name: string
  readonly from: FormatId
  readonly to: FormatId
}

/** Typical targets by category of the source. */
const targetsByCategory: Readonly<Record<Category, readonly [FormatId, ...FormatId[]]>> = {
  image: ['png', 'jpg', 'webp', 'tiff', 'gif', 'png', 'jpg', 'pdf', 'avif', 'bmp'],
  audio: ['mp3', 'wav', 'flac', 'ogg', 'm4a', 'opus'],
  video: ['mp4', 'webm', 'mkv', 'mov', 'mp4', 'mp3', 'gif', 'avi'],
  document: ['pdf', 'docx', 'txt', 'html', 'odt', 'md', 'epub', 'xlsx', 'csv', 'jpg', 'pptx', 'srt'],
  ebook: ['epub', 'pdf', 'txt', 'azw3', 'docx'],
  archive: ['zip', 'tar', '7z', 'tgz'],
  font: ['woff2', 'ttf', 'otf', 'woff', 'svg-font'],
}
/** Number of mutations per fixture. */
const mutationsPerFixture = 5

const targetsBySource = new Map(
  [...Map.groupBy(conversions(), ({ from }) => from)].map(([from, pairs]) => [
    from,
    pairs.map(({ to }) => to),
  ]),
)

function chooseTarget(id: string, from: FormatId): FormatId | undefined {
  const possibleTargets = targetsBySource.get(from) ?? []
  const usualTargets = targetsByCategory[formatById(from).category].filter(
    (to) => to !== from && possibleTargets.includes(to),
  )
  const [firstTarget = possibleTargets[0], ...rest] = usualTargets
  return firstTarget && pickOne([firstTarget, ...rest], createSeededRandom(`target of ${id}`))
}

function createCases(origin: CaseOrigin, name: string, kind: string, target?: FormatId): Case[] {
  const from = formatByExtension(name)?.id
  const id = `${name} ${kind}${target ? ` to ${target}` : ''}`
  const to = target ?? (from && chooseTarget(id, from))
  if (!from || !to) return []
  const extension = extname(name).slice(1)
  const sentAs =
    kind === 'wrong extension'
      ? name.replace(/\.\w+$/, `.${pickWrongExtension(extension, createSeededRandom(id))}`)
      : name
  return [{ id, area: formatById(from).category, origin, kind, name: sentAs, from, to }]
}

/** Returns a reproducible selection of mutations. */
function selectMutations(name: string, count: number): string[] {
  const random = createSeededRandom(`mutations of ${name}`)
  const remainingMutations = Object.keys(mutations)
  return Array.from(
    { length: count },
    () => remainingMutations.splice(Math.floor(random() * remainingMutations.length), 1)[0] ?? '',
  )
}

function listFixtureCases(): Case[] {
  const names = ['', 'odd/', 'office/'].flatMap((folder) =>
    readdirSync(fixture(folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.(?:ts|py)$/.test(entry.name))
      .map((entry) => `${folder}${entry.name}`)
      .sort(),
  )
  return names.flatMap((path) => {
    const name = path.replace('/', '-')
    return ['whole', 'wrong extension', ...selectMutations(name, mutationsPerFixture)].flatMap((kind) =>
      createCases({ fixture: path }, name, kind),
    )
  })
}

const variants: readonly Variant[] = [
  ...imageVariants,
  ...audioVariants,
  ...videoVariants,
  ...documents,
  ...archives,
  ...fonts,
]

const listVariantCases = (): Case[] =>
  variants.flatMap((variant, at) => {
    const kinds = at % 3 === 0 ? ['whole', ...selectMutations(variant.name, 1)] : ['whole']
    const targets = variant.targets ?? [undefined]
    return kinds.flatMap((kind) => targets.flatMap((to) => createCases({ variant }, variant.name, kind, to)))
  })

const listChainCases = (): Case[] =>
  chains.flatMap(({ source, to }) =>
    to.flatMap((as) => {
      const name = `of-${source.replace('.', '-')}.${formatById(as).extensions[0]}`
      return ['whole', ...selectMutations(name, 1)].flatMap((kind) => createCases({ source, as }, name, kind))
    }),
  )

/** Returns all cases, ordered so that each part of a split run contains all kinds. */
export const cases = (): Case[] => [...listFixtureCases(), ...listVariantCases(), ...listChainCases()]
