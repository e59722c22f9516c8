// Reads EPUB 2 and 3: https://www.w3.org/TR/epub-33/
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { XMLParser } from 'fast-xml-parser'
import * as z from 'zod'
import { openZipEntries, type ZipEntries } from './zip-entries.ts'

/** A file in the ebook. */
export interface EbookItem {
  /** Path within the archive. */
  readonly name: string
  readonly mediaType: string
}

export interface Ebook {
  readonly title: string | undefined
  readonly language: string | undefined
  readonly authors: readonly string[]
  /** The documents in reading order. */
  readonly chapters: readonly EbookItem[]
  /** The declared cover image, if any. */
  readonly cover: EbookItem | undefined
  /** Whether the layout is fixed: each document is one page with its own size. */
  readonly isFixedLayout: boolean
  read(name: string): Promise<Buffer | undefined>
  getMediaType(name: string): string
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

const getText = (node: unknown): string =>
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

/** @throws Error when the file is not a readable EPUB. */
export async function openEbook(path: string, size: number): Promise<Ebook> {
  const zip = await openZipEntries(path, size)
  const container = Container.parse(await readXml(zip, 'META-INF/container.xml'))
  const packagePath = container.container.rootfiles.rootfile[0]?.['@full-path'] ?? ''
  const { package: book } = Package.parse(await readXml(zip, packagePath))
  const { metadata } = book
  const items = new Map(
    book.manifest.item.map((item) => [
      item['@id'],
      {
        name: resolveArchivePath(item['@href'], packagePath),
        mediaType: item['@media-type'],
        properties: item['@properties'],
      },
    ]),
  )
  const getMeta = (name: string) =>
    metadata.meta.flatMap((entry) =>
      typeof entry === 'object' && (entry['@name'] === name || entry['@property'] === name)
        ? [typeof entry['@content'] === 'string' ? entry['@content'] : getText(entry)]
        : [],
    )[0]
  const mediaTypesByName = new Map([...items.values()].map(({ name, mediaType }) => [name, mediaType]))
  const findFirstText = (nodes: readonly unknown[]) => nodes.map(getText).find((text) => text !== '')
  const identifiers = metadata.identifier.map((node) => {
    const id = Attributes.safeParse(node).data?.['@id']
    return { text: getText(node), isUnique: id !== undefined && id === book['@unique-identifier'] }
  })
  const fonts = await findObfuscatedFonts(
    zip,
    (identifiers.find(({ isUnique }) => isUnique) ?? identifiers[0])?.text ?? '',
  )
  return {
    title: findFirstText(metadata.title),
    language: findFirstText(metadata.language),
    authors: metadata.creator.map(getText).filter((name) => name !== ''),
    chapters: book.spine.itemref.flatMap((ref) => items.get(ref['@idref']) ?? []),
    cover:
      [...items.values()].find(({ properties }) => /\bcover-image\b/.test(properties)) ??
      toEpub2Cover(items.get(getMeta('cover') ?? '')),
    isFixedLayout: getMeta('rendition:layout') === 'pre-paginated' || getMeta('fixed-layout') === 'true',
    read: async (name) => {
      const bytes = await zip.read(name)
      return bytes && (fonts.get(name)?.(bytes) ?? bytes)
    },
    getMediaType: (name) => mediaTypesByName.get(name) ?? '',
  }
}

/**
 * EPUB 2 declares the cover in a `meta` element. Some ebooks name the page with the cover there instead of the image;
 * that declaration is ignored.
 */
const toEpub2Cover = (item: EbookItem | undefined) =>
  item?.mediaType.startsWith('image/') ? item : undefined

async function readXml(zip: ZipEntries, name: string): Promise<unknown> {
  const bytes = await zip.read(name)
  if (!bytes) throw new Error(`The book has no ${name}.`)
  return parser.parse(decodeXmlText(bytes))
}

/** Decodes UTF-8 and UTF-16, which EPUB allows, and the encodings that older ebooks declare. */
export function decodeXmlText(bytes: Buffer): string {
  const byteOrderMark = bytes.toString('latin1', 0, 2)
  const [, declaredEncoding = 'utf-8'] =
    /^(?:\xef\xbb\xbf)?\s*<\?xml[^>]*\bencoding=["']([\w.:-]+)/.exec(bytes.toString('latin1', 0, 200)) ?? []
  const charsetLabel =
    byteOrderMark === '\xff\xfe' ? 'utf-16le' : byteOrderMark === '\xfe\xff' ? 'utf-16be' : declaredEncoding
  try {
    return new TextDecoder(charsetLabel).decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}

/** Resolves a percent-encoded path relative to the package document. */
function resolveArchivePath(href: string, packagePath: string): string {
  let name = href.replace(/[?#].*$/s, '')
  try {
    name = decodeURIComponent(name)
  } catch {
    // Not every ebook encodes its paths: a name with a plain percent sign is used as it is.
  }
  return posix.join(posix.dirname(packagePath), name)
}

type Deobfuscate = (bytes: Buffer) => Buffer

/** Font obfuscation methods: the first bytes are XORed with a key derived from the ebook's identifier. */
const obfuscationsByAlgorithm: Readonly<Record<string, { bytes: number; key: (id: string) => Buffer }>> = {
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

async function findObfuscatedFonts(zip: ZipEntries, id: string): Promise<ReadonlyMap<string, Deobfuscate>> {
  const fonts = new Map<string, Deobfuscate>()
  const bytes = await zip.read('META-INF/encryption.xml')
  const foundEncryption = bytes && Encryption.safeParse(parser.parse(decodeXmlText(bytes))).data
  for (const { EncryptionMethod: declaredMethod, CipherData: data } of foundEncryption?.encryption
    .EncryptedData ?? []) {
    const method = obfuscationsByAlgorithm[declaredMethod['@Algorithm']]
    const key = method?.key(id)
    if (!method || !key || key.length === 0) continue
    fonts.set(resolveArchivePath(data.CipherReference['@URI'], ''), (font) => {
      const deobfuscatedFont = Buffer.from(font)
      for (let at = 0; at < Math.min(method.bytes, deobfuscatedFont.length); at++)
        deobfuscatedFont[at] = (deobfuscatedFont[at] ?? 0) ^ (key[at % key.length] ?? 0)
      return deobfuscatedFont
    })
  }
  return fonts
}
