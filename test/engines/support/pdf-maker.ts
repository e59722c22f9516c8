import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { scratchFolder } from '../../support/scratch-folder.ts'

/** Objects of a PDF by number; a stream has a dictionary and data. */
export type PdfFileObjects = Readonly<
  Record<number, string | { readonly dict: string; readonly data: Uint8Array }>
>

/** Creates a PDF from objects; number 1 is the catalog. `trailer` adds entries to the trailer. */
export function createPdf(objects: PdfFileObjects, trailer = ''): Buffer {
  const chunks: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const offsets = new Map<number, number>()
  let length = chunks[0]?.length ?? 0
  const put = (bytes: string | Uint8Array) => {
    const chunk = Buffer.from(bytes as Uint8Array)
    chunks.push(chunk)
    length += chunk.length
  }
  for (const [number, object] of Object.entries(objects)) {
    offsets.set(Number(number), length)
    if (typeof object === 'string') put(`${number} 0 obj\n${object}\nendobj\n`)
    else {
      const dict = object.dict.replace(/>>\s*$/, `/Length ${object.data.length} >>`)
      put(`${number} 0 obj\n${dict}\nstream\n`)
      put(object.data)
      put('\nendstream\nendobj\n')
    }
  }
  const count = Math.max(...offsets.keys()) + 1
  const start = length
  const rows = Array.from({ length: count }, (_, number) => {
    const offset = offsets.get(number)
    return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  put(
    `xref\n0 ${count}\n${rows.join('')}trailer\n<< /Size ${count} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`,
  )
  return Buffer.concat(chunks)
}

const createText = (content: string) => ({ dict: '<< >>', data: Buffer.from(content) })
const action = (type: string, entries: string) => `<< /S /${type} ${entries} >>`
/** Creates a link over part of the page text, because readers associate links with the words below them. */
const link = (left: number, entries: string) =>
  `<< /Type /Annot /Subtype /Link /Rect [${left} 195 ${left + 28} 220] /Border [0 0 0] ${entries} >>`

/**
 * Creates three pages with the text `<word> page1` and so on, and a blank one at the end, with an outline, links by
 * name and by page, a form whose fields have values but no appearance stream, scripts, an attachment and metadata.
 */
export function createBook(word: string): Buffer {
  const createPage = (contentsObject: number, annotations: string) =>
    `<< /Type /Page /Parent 2 0 R /Contents ${contentsObject} 0 R /Annots [${annotations}] /Resources << /Font << /F1 3 0 R >> >> >>`
  const showPageName = (number: number) => createText(`BT /F1 18 Tf 20 200 Td (${word} page${number}) Tj ET`)
  const field = (name: string, page: number) =>
    `<< /Type /Annot /Subtype /Widget /FT /Tx /T (${name}) /V (${word}-${name}-value) /DA (/Helv 12 Tf 0 g) /Rect [20 100 190 120] /P ${page} 0 R /F 4 >>`
  return createPdf(
    {
      1: `<< /Type /Catalog /Pages 2 0 R /Outlines 40 0 R /Names 50 0 R /OpenAction ${action('JavaScript', '/JS (app.alert\\(1\\))')}
        /AcroForm << /Fields [30 0 R 31 0 R] /DA (/Helv 0 Tf 0 g) /DR << /Font << /Helv 3 0 R >> >> >> >>`,
      2: '<< /Type /Pages /Kids [4 0 R 5 0 R 6 0 R 7 0 R] /Count 4 /MediaBox [0 0 200 300] >>',
      3: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      4: createPage(10, '20 0 R 21 0 R 22 0 R 23 0 R 30 0 R'),
      5: createPage(11, ''),
      6: createPage(12, '31 0 R'),
      7: createPage(13, ''),
      10: showPageName(1),
      11: showPageName(2),
      12: showPageName(3),
      13: createText(''),
      20: link(20, `/A ${action('GoTo', '/D (chapter)')}`),
      21: link(52, '/Dest [5 0 R /Fit]'),
      22: link(84, `/A ${action('URI', '/URI (https://example.com/)')}`),
      23: link(114, `/A ${action('Launch', '/F (calc.exe)')}`),
      30: field('name', 4),
      31: field('city', 6),
      40: '<< /Type /Outlines /First 41 0 R /Last 42 0 R /Count 2 >>',
      41: `<< /Title (${word} one) /Parent 40 0 R /Next 42 0 R /Dest [4 0 R /Fit] >>`,
      42: `<< /Title (${word} three) /Parent 40 0 R /Prev 41 0 R /A ${action('GoTo', '/D (chapter)')} /First 43 0 R /Last 43 0 R /Count -1 >>`,
      43: `<< /Title (${word} two) /Parent 42 0 R /Dest [5 0 R /XYZ 10 20 null] >>`,
      50: '<< /Dests << /Names [(chapter) [6 0 R /XYZ 0 100 null]] >> /EmbeddedFiles << /Names [(notes.txt) 51 0 R] >> >>',
      51: '<< /Type /Filespec /F (notes.txt) /UF (notes.txt) /EF << /F 52 0 R >> >>',
      52: createText('attached words'),
      60: `<< /Title (${word} book) /Author (Ada Author) >>`,
    },
    '/Info 60 0 R',
  )
}

/** Creates A4 pages with their page number and lines that differ from page to page. */
export function createLongBook(count: number): Buffer {
  const font = 3
  const pageAt = (index: number) => font + 1 + index * 2
  const pages = Array.from({ length: count }, (_, index) => {
    const lines = Array.from({ length: 40 }, (_, line) => {
      const words = `line ${line + 1} of page ${index + 1}: ${'abcdefgh'.repeat(((index + line) % 5) + 1)}`
      return `(${words}) Tj T*`
    })
    return {
      [pageAt(index)]:
        `<< /Type /Page /Parent 2 0 R /Contents ${pageAt(index) + 1} 0 R /Resources << /Font << /F1 ${font} 0 R >> >> >>`,
      [pageAt(index) + 1]: createText(
        `BT /F1 12 Tf 15 TL 50 750 Td (page ${index + 1}) Tj T* ${lines.join(' ')} ET`,
      ),
    }
  })
  const kids = pages.map((_, index) => `${pageAt(index)} 0 R`)
  return createPdf({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${count} /MediaBox [0 0 595 842] >>`,
    [font]: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...Object.assign({}, ...pages),
  })
}

/** Creates a page with a noisy photo of 600 x 800 pixels, which only lossy compression makes much smaller. */
export async function createPhotoPage(): Promise<Buffer> {
  const noise = randomBytes(150 * 200 * 3)
  const photo = await sharp(noise, { raw: { width: 150, height: 200, channels: 3 } })
    .resize(600, 800)
    .jpeg({ quality: 98 })
    .toBuffer()
  return createImagePage(
    '<< /Type /XObject /Subtype /Image /Width 600 /Height 800 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode >>',
    photo,
  )
}

/** Creates a page of 144 x 192 points that is filled by an image. */
function createImagePage(dict: string, data: Uint8Array, moreObjects: PdfFileObjects = {}): Buffer {
  return createPdf({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 144 192] /Contents 4 0 R /Resources << /XObject << /Im 5 0 R >> >> >>',
    4: createText('q 144 0 0 192 0 0 cm /Im Do Q'),
    5: { dict, data },
    ...moreObjects,
  })
}

/** Creates a page with an image of four pixels, the first of which is transparent. */
export function createTransparentImagePage(): Buffer {
  const dict = (entries: string) =>
    `<< /Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 ${entries} >>`
  const pixels = Buffer.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9])
  const mask = { dict: dict('/ColorSpace /DeviceGray'), data: Buffer.from([0, 255, 255, 255]) }
  return createImagePage(dict('/ColorSpace /DeviceRGB /SMask 6 0 R'), pixels, { 6: mask })
}

/** Writes files into a temporary folder; returns a function from file name to path. */
export async function writeFiles(
  files: Readonly<Record<string, Uint8Array>>,
): Promise<(name: string) => string> {
  const folder = scratchFolder('pdf-shelf')
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes)
  return (name) => join(folder, name)
}
