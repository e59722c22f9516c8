import { createWriteStream } from 'node:fs'
import { Writable } from 'node:stream'
import { TextReader, Uint8ArrayReader, ZipWriter } from '@zip.js/zip.js'

export interface BookParts {
  /** Files by name, in addition to those that every ebook has. */
  readonly files: Readonly<Record<string, string | Uint8Array>>
  /** Names of documents in reading order. */
  readonly spine: readonly string[]
  /** Documents outside of the linear reading order. */
  readonly nonLinear?: readonly string[]
  /** Additional metadata of the package. */
  readonly metadata?: string
  /** Manifest properties by file, such as `cover-image`. */
  readonly properties?: Readonly<Record<string, string>>
}

const types: Readonly<Record<string, string>> = {
  xhtml: 'application/xhtml+xml',
  css: 'text/css',
  png: 'image/png',
  ttf: 'font/ttf',
}

export const createChapter = (body: string, head = '') =>
  `<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title>${head}</head><body>${body}</body></html>`

/** Writes an EPUB 3. */
export async function createEpub(
  path: string,
  { files, spine, nonLinear = [], metadata = '', properties = {} }: BookParts,
) {
  const zip = new ZipWriter(Writable.toWeb(createWriteStream(path)))
  await zip.add('mimetype', new TextReader('application/epub+zip'), { level: 0 })
  await zip.add(
    'META-INF/container.xml',
    new TextReader(
      '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    ),
  )
  const names = Object.keys(files).filter((name) => !name.startsWith('META-INF/'))
  const getId = (name: string) => `i${names.indexOf(name)}`
  const items = names.map((name) => {
    const type = types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
    const propertiesAttribute = properties[name] === undefined ? '' : ` properties="${properties[name]}"`
    return `<item id="${getId(name)}" href="${encodeURI(name)}" media-type="${type}"${propertiesAttribute}/>`
  })
  const order = spine.map(
    (name) => `<itemref idref="${getId(name)}"${nonLinear.includes(name) ? ' linear="no"' : ''}/>`,
  )
  await zip.add(
    'OEBPS/book.opf',
    new TextReader(
      `<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:x:book</dc:identifier><dc:title>Birds &amp; Co</dc:title><dc:creator>Ada Grün</dc:creator><dc:language>en</dc:language><meta property="dcterms:modified">2026-01-01T00:00:00Z</meta>${metadata}</metadata><manifest>${items.join('')}</manifest><spine>${order.join('')}</spine></package>`,
    ),
  )
  for (const [name, content] of Object.entries(files)) {
    const reader = typeof content === 'string' ? new TextReader(content) : new Uint8ArrayReader(content)
    await zip.add(name.startsWith('META-INF/') ? name : `OEBPS/${name}`, reader)
  }
  await zip.close()
}
