// A book as EPUB 2 and 3 have it: https://www.w3.org/TR/epub-33/
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { XMLParser } from 'fast-xml-parser'
import * as z from 'zod'
import { openZip, type ZipParts } from './zip-entries.ts'

/** A file of the book. */
export interface BookItem {
  /** Within the archive. */
  readonly name: string
  readonly mediaType: string
}

export interface Book {
  readonly title: string | undefined
  readonly language: string | undefined
  readonly authors: readonly string[]
  /** In the order of reading. */
  readonly chapters: readonly BookItem[]
  /** The picture that is its cover, where it says so. */
  readonly cover: BookItem | undefined
  /** Each of its documents is a page of a size of its own. */
  readonly isFixed: boolean
  read(name: string): Promise<Buffer | undefined>
  typeOf(name: string): string
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  isArray: (name) =>
    [
      'rootfile',
      'item',
      'itemref',
      'meta',
      'creator',
      'title',
      'language',
      'identifier',
      'EncryptedData',
    ].includes(name),
})

const textOf = (node: unknown): string =>
  (typeof node === 'string'
    ? node
    : (z.looseObject({ '#text': z.string() }).safeParse(node).data?.['#text'] ?? '')
  ).trim()

const Attributes = z.record(z.string(), z.unknown())
const Container = z.looseObject({
  container: z.looseObject({
    rootfiles: z.looseObject({ rootfile: z.array(z.looseObject({ '@full-path': z.string() })) }),
  }),
})
const Package = z.looseObject({
  package: z.looseObject({
    '@unique-identifier': z.string().optional(),
    metadata: z
      .looseObject({
        title: z.array(z.unknown()).default([]),
        creator: z.array(z.unknown()).default([]),
        language: z.array(z.unknown()).default([]),
        identifier: z.array(z.unknown()).default([]),
        meta: z.array(Attributes.or(z.string())).default([]),
      })
      .default({ title: [], creator: [], language: [], identifier: [], meta: [] }),
    manifest: z.looseObject({
      item: z.array(
        z.looseObject({
          '@id': z.string(),
          '@href': z.string(),
          '@media-type': z.string().default(''),
          '@properties': z.string().default(''),
        }),
      ),
    }),
    spine: z.looseObject({
      itemref: z.array(z.looseObject({ '@idref': z.string(), '@properties': z.string().default('') })),
    }),
  }),
})

/** @throws Error when it is no book that can be read. */
export async function readEpub(path: string, size: number): Promise<Book> {
  const zip = await openZip(path, size)
  const container = Container.parse(await xml(zip, 'META-INF/container.xml'))
  const root = container.container.rootfiles.rootfile[0]?.['@full-path'] ?? ''
  const { package: book } = Package.parse(await xml(zip, root))
  const { metadata } = book
  const items = new Map(
    book.manifest.item.map((item) => [
      item['@id'],
      {
        name: inArchive(item['@href'], root),
        mediaType: item['@media-type'],
        properties: item['@properties'],
      },
    ]),
  )
  const metaOf = (name: string) =>
    metadata.meta.flatMap((one) =>
      typeof one === 'object' && (one['@name'] === name || one['@property'] === name)
        ? [typeof one['@content'] === 'string' ? one['@content'] : textOf(one)]
        : [],
    )[0]
  const types = new Map([...items.values()].map(({ name, mediaType }) => [name, mediaType]))
  const first = (nodes: readonly unknown[]) => nodes.map(textOf).find((text) => text !== '')
  const identifiers = metadata.identifier.map((node) => {
    const id = Attributes.safeParse(node).data?.['@id']
    return { text: textOf(node), isUnique: id !== undefined && id === book['@unique-identifier'] }
  })
  const fonts = await obfuscatedFonts(
    zip,
    (identifiers.find(({ isUnique }) => isUnique) ?? identifiers[0])?.text ?? '',
  )
  return {
    title: first(metadata.title),
    language: first(metadata.language),
    authors: metadata.creator.map(textOf).filter((name) => name !== ''),
    chapters: book.spine.itemref.flatMap((ref) => items.get(ref['@idref']) ?? []),
    cover:
      [...items.values()].find(({ properties }) => /\bcover-image\b/.test(properties)) ??
      coverOf2(items.get(metaOf('cover') ?? '')),
    isFixed: metaOf('rendition:layout') === 'pre-paginated' || metaOf('fixed-layout') === 'true',
    read: async (name) => {
      const bytes = await zip.read(name)
      return bytes && (fonts.get(name)?.(bytes) ?? bytes)
    },
    typeOf: (name) => types.get(name) ?? '',
  }
}

/** EPUB 2 names it in a `meta`; some name the page in which it stands. */
const coverOf2 = (item: BookItem | undefined) => (item?.mediaType.startsWith('image/') ? item : undefined)

async function xml(zip: ZipParts, name: string): Promise<unknown> {
  const bytes = await zip.read(name)
  if (!bytes) throw new Error(`The book has no ${name}.`)
  return parser.parse(decoded(bytes))
}

/** UTF-8 and UTF-16 are what EPUB allows; older books say otherwise. */
export function decoded(bytes: Buffer): string {
  const mark = bytes.toString('latin1', 0, 2)
  const [, said = 'utf-8'] =
    /^(?:\xef\xbb\xbf)?\s*<\?xml[^>]*\bencoding=["']([\w.:-]+)/.exec(bytes.toString('latin1', 0, 200)) ?? []
  const label = mark === '\xff\xfe' ? 'utf-16le' : mark === '\xfe\xff' ? 'utf-16be' : said
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}

/** Addresses in the package are relative to its own, and have their odd letters escaped. */
function inArchive(href: string, root: string): string {
  let name = href.replace(/[?#].*$/s, '')
  try {
    name = decodeURIComponent(name)
  } catch {
    // It is meant as it stands.
  }
  return posix.join(posix.dirname(root), name)
}

type Repair = (bytes: Buffer) => Buffer

/** How fonts are made unusable outside of the book: by its name, over their first bytes. */
const obfuscations: Readonly<Record<string, { bytes: number; key: (id: string) => Buffer }>> = {
  // https://www.w3.org/TR/epub-33/#sec-font-obfuscation
  'http://www.idpf.org/2008/embedding': {
    bytes: 1040,
    key: (id) => createHash('sha1').update(id.replaceAll(/\s/g, '')).digest(),
  },
  'http://ns.adobe.com/pdf/enc#RC': {
    bytes: 1024,
    key: (id) => Buffer.from(id.replace(/^urn:uuid:/i, '').replaceAll('-', ''), 'hex'),
  },
}

const Encryption = z.looseObject({
  encryption: z.looseObject({
    EncryptedData: z.array(
      z.looseObject({
        EncryptionMethod: z.looseObject({ '@Algorithm': z.string() }),
        CipherData: z.looseObject({ CipherReference: z.looseObject({ '@URI': z.string() }) }),
      }),
    ),
  }),
})

async function obfuscatedFonts(zip: ZipParts, id: string): Promise<ReadonlyMap<string, Repair>> {
  const fonts = new Map<string, Repair>()
  const bytes = await zip.read('META-INF/encryption.xml')
  const found = bytes && Encryption.safeParse(parser.parse(decoded(bytes))).data
  for (const { EncryptionMethod: method, CipherData: data } of found?.encryption.EncryptedData ?? []) {
    const way = obfuscations[method['@Algorithm']]
    const key = way?.key(id)
    if (!way || !key || key.length === 0) continue
    fonts.set(inArchive(data.CipherReference['@URI'], ''), (font) => {
      const plain = Buffer.from(font)
      for (let at = 0; at < Math.min(way.bytes, plain.length); at++)
        plain[at] = (plain[at] ?? 0) ^ (key[at % key.length] ?? 0)
      return plain
    })
  }
  return fonts
}
