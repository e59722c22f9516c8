import { createWriteStream } from 'node:fs'
import { Writable } from 'node:stream'
import { TextReader, Uint8ArrayReader, ZipWriter } from '@zip.js/zip.js'
import { createNoiseImage } from './noise.ts'

/** An EPUB of 5 MB: sixty chapters, and twelve images that take most of the space. */

const createNumbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
const chapters = createNumbers(60)
const images = createNumbers(12)

const sentences = [
  'The ship left the harbour before sunrise, and nobody on the quay said a word about it.',
  'Later, when the wind had turned, the cook counted the barrels again and found one more.',
  '“It was here all the time,” said the mate, who had not slept since Tuesday.',
  'Of the <em>three</em> islands on the map two were there, and the third was a whale.',
  'He wrote it down, because what is written down can be read to those who were not there.',
]

function createChapter(number: number): string {
  // No two paragraphs are identical, as in a real book, so that caches do not help.
  const paragraph = (at: number) => {
    const order = sentences.map(
      (_, sentenceIndex) => sentences[(sentenceIndex * (1 + (at % 4)) + at + number) % 5],
    )
    return `<p class="p${at % 5}" id="c${number}p${at}">${at}. ${order.join(' ')}</p>`
  }
  const image = images.includes(number) ? `<p><img src="p${number}.jpg" alt="Picture ${number}"/></p>` : ''
  const text = createNumbers(55).map(paragraph).join('\n')
  return createPage(`Chapter ${number}`, `<h1>Chapter ${number}</h1>\n${image}\n${text}`)
}

const createPage = (title: string, body: string) =>
  `<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>${title}</title>
<link rel="stylesheet" type="text/css" href="book.css"/></head><body>
${body}
</body></html>`

const container = `<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`

const css = createNumbers(5)
  .map((at) => `.p${at - 1} { margin: 0.${at}em 0; text-indent: ${at}em; line-height: 1.${at} }`)
  .join('\n')

const createManifestItem = (id: string, href: string, type: string, attributes = '') =>
  `<item id="${id}" href="${href}" media-type="${type}"${attributes}/>`

const xhtmlType = 'application/xhtml+xml'

const opf = `<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:mutabor:bench</dc:identifier>
<dc:title>The Third Island</dc:title><dc:language>en</dc:language><dc:creator>Nobody</dc:creator>
<meta property="dcterms:modified">2026-01-01T00:00:00Z</meta></metadata>
<manifest>${createManifestItem('nav', 'nav.xhtml', xhtmlType, ' properties="nav"')}${createManifestItem('css', 'book.css', 'text/css')}
${chapters.map((at) => createManifestItem(`c${at}`, `c${at}.xhtml`, xhtmlType)).join('\n')}
${images.map((at) => createManifestItem(`p${at}`, `p${at}.jpg`, 'image/jpeg')).join('\n')}</manifest>
<spine>${chapters.map((at) => `<itemref idref="c${at}"/>`).join('')}</spine></package>`

const links = chapters.map((at) => `<li><a href="c${at}.xhtml">Chapter ${at}</a></li>`).join('\n')

export async function makeBook(path: string): Promise<void> {
  const file = Writable.toWeb(createWriteStream(path))
  const zip = new ZipWriter(file, { useWebWorkers: false, lastModDate: new Date(2026, 0, 1) })
  const addText = (name: string, content: string) => zip.add(name, new TextReader(content))
  // OCF 3.3, 4.3: `mimetype` must be the first file of the archive and uncompressed.
  await zip.add('mimetype', new TextReader('application/epub+zip'), { level: 0, extendedTimestamp: false })
  await addText('META-INF/container.xml', container)
  await addText('book.opf', opf)
  await addText('book.css', css)
  await addText('nav.xhtml', createPage('Contents', `<nav epub:type="toc"><ol>${links}</ol></nav>`))
  for (const at of chapters) await addText(`c${at}.xhtml`, createChapter(at))
  for (const at of images) {
    const jpg = await createNoiseImage(800, 1000, at).jpeg({ quality: 95 }).toBuffer()
    await zip.add(`p${at}.jpg`, new Uint8ArrayReader(jpg), { level: 0 })
  }
  await zip.close()
}
