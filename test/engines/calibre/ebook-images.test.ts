import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { TextReader, Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import sharp from 'sharp'
import { createCalibre } from '../../../lib/engines/calibre.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { listZipNames, readStdout } from '../support/inspect-result.ts'
import { convert } from '../support/run-engine.ts'

const calibre = createCalibre()
after(() => calibre.close?.())

const officeNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006'
const colorSpaces = [
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"',
  `xmlns:r="${officeNamespace}/relationships"`,
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
  'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"',
  'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"',
]

/** Writes a Word document with these images, by file name. */
async function createDocument(name: string, images: Readonly<Record<string, Uint8Array>>): Promise<string> {
  const shownImages = Object.keys(images).map(
    (_, at) =>
      `<w:p><w:r><w:t>Picture</w:t><w:drawing><wp:inline><wp:extent cx="180000" cy="180000"/><wp:docPr id="${at + 1}" name="x"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="0" name="x"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="p${at}"/></pic:blipFill><pic:spPr/></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`,
  )
  const relations = Object.keys(images).map(
    (image, at) =>
      `<Relationship Id="p${at}" Type="${officeNamespace}/relationships/image" Target="media/${image}"/>`,
  )
  const list = (all: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all}</Relationships>`
  const zip = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false })
  const texts = {
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    '_rels/.rels': list(
      `<Relationship Id="d" Type="${officeNamespace}/relationships/officeDocument" Target="word/document.xml"/>`,
    ),
    'word/_rels/document.xml.rels': list(relations.join('')),
    'word/document.xml': `<w:document ${colorSpaces.join(' ')}><w:body>${shownImages.join('')}</w:body></w:document>`,
  }
  for (const [partName, text] of Object.entries(texts)) await zip.add(partName, new TextReader(text))
  for (const [image, bytes] of Object.entries(images))
    await zip.add(`word/media/${image}`, new Uint8ArrayReader(bytes))
  const path = join(scratchFolder('ebook-images'), name)
  await writeFile(path, await zip.close())
  return path
}

/** Four red pixels in a row, as a Windows bitmap. */
const bmp = Buffer.concat([
  Buffer.from('424d42000000000000003600000028000000040000000100000001001800000000000c000000', 'hex'),
  Buffer.alloc(16),
  Buffer.from('0000ff'.repeat(4), 'hex'),
])
/** The start of an enhanced metafile. */
const emf = Buffer.alloc(108)
emf.writeUInt32LE(1)
emf.writeUInt32LE(108, 4)
emf.write(' EMF', 40)

test('a BMP and a TIFF in a Word document become PNGs in the ebook, and an EMF causes a warning', async () => {
  const tiff = await sharp({ create: { width: 3, height: 2, channels: 3, background: '#0f0' } })
    .tiff()
    .toBuffer()
  const path = await createDocument('images.docx', { 'a.bmp': bmp, 'b.tiff': tiff, 'c.emf': emf })
  const { path: ebook, warnings, messages } = await convert(calibre, path, 'epub')
  assert.deepEqual(warnings, ['PICTURES_UNSHOWN'])
  assert.match(messages.join(), /^An image is in a format/)
  const names = await listZipNames(ebook)
  const pngs = names.filter((name) => name.endsWith('.png'))
  assert.equal(pngs.length, 2)
  assert.deepEqual(
    names.filter((name) => /\.(bmp|tiff?)$/.test(name)),
    [],
  )
  const pages = await readStdout('unzip', '-p', ebook, '*.xhtml', '*.html', '*.opf')
  for (const name of pngs) {
    const file = name.split('/').at(-1) ?? ''
    // The image is named once in the manifest, and once in the chapter that shows it.
    assert.equal(pages.split(file).length - 1, 2, file)
  }
  const plainDocument = await createDocument('plain.docx', { 'a.png': await sharp(tiff).png().toBuffer() })
  assert.deepEqual((await convert(calibre, plainDocument, 'epub')).warnings, [])
})
