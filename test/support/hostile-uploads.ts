import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

/** Fields and a file that keep a reader busy, or once did. */
export interface HostileUpload {
  readonly filename: string
  readonly bytes: Uint8Array | string
  readonly fields?: Readonly<Record<string, string>>
}

const png = readFileSync(new URL('../fixtures/alpha.png', import.meta.url))
const createFormWithFields = (fields: Readonly<Record<string, string>>): HostileUpload => ({
  filename: 'a.png',
  bytes: png,
  fields,
})
const million = 1_000_000
const svgStart = '<svg xmlns="http://www.w3.org/2000/svg">'
const createSvgz = (text: string): HostileUpload => ({ filename: 'a.svgz', bytes: gzipSync(svgStart + text) })
const createStyledSvg = (property: string) =>
  createSvgz(`<style>a{${property.repeat(500_000)}}</style><rect/></svg>`)

/** A ZIP file of empty entries (APPNOTE.TXT, 4.3). */
function createZip(count: number, getName: (index: number) => string): Buffer {
  const localHeaders: Buffer[] = []
  const centralDirectory: Buffer[] = []
  let offset = 0
  for (let index = 0; index < count; index++) {
    const name = Buffer.from(getName(index))
    const localHeader = Buffer.alloc(30)
    localHeader.writeUInt32LE(0x04034b50, 0)
    localHeader.writeUInt16LE(name.length, 26)
    const centralHeader = Buffer.alloc(46)
    centralHeader.writeUInt32LE(0x02014b50, 0)
    centralHeader.writeUInt16LE(name.length, 28)
    centralHeader.writeUInt32LE(offset, 42)
    localHeaders.push(localHeader, name)
    centralDirectory.push(centralHeader, name)
    offset += localHeader.length + name.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(Buffer.concat(centralDirectory).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...localHeaders, ...centralDirectory, end])
}

/** A PDF with a chain of cross-reference tables; the last table of the chain refers to `firstTable`. */
function createPdf(tables: number, firstTable: number | undefined): string {
  let [text, previousTable] = ['%PDF-1.7\n', firstTable]
  for (let index = 0; index < tables; index++) {
    const at = text.length
    text += `xref\n0 0\ntrailer<</Size 3/Root 1 0 R/Encrypt 9 0 R/Prev ${previousTable ?? at}>>\n`
    previousTable = at
  }
  return `${text}startxref\n${previousTable}\n%%EOF`
}

/** A JPEG with segments of this length before its pixels (ISO 10918-1, B.1.1.3). */
function createJpeg(segments: number, length: number): Buffer {
  const segment = Buffer.alloc(2 + length)
  segment.set([0xff, 0xe1, length >> 8, length & 0xff])
  const start = Buffer.from([0xff, 0xd8])
  return Buffer.concat([start, ...Array(segments).fill(segment), Buffer.from([0xff, 0xda, 0, 2, 0xff, 0xd9])])
}

function mp4(boxes: number, length: number): Buffer {
  const box = Buffer.alloc(length)
  box.writeUInt32BE(length, 0)
  box.write('free', 4)
  const type = Buffer.from('\0\0\0\x10ftypisom\0\0\0\0', 'latin1')
  return Buffer.concat([type, ...Array(boxes).fill(box)])
}

const nestedMime = Array.from(
  { length: 20_000 },
  (_, level) => `Content-Type: multipart/mixed; boundary="b${level}"\n\n--b${level}\n`,
).join('')

const entities = Array.from({ length: 500 }, (_, at) => `<!ENTITY e${at} "&e${at + 1};&e${at + 1};">`).join(
  '',
)

export const hostileUploads: Readonly<Record<string, HostileUpload>> = {
  'a filename field of 300,000 spaces': createFormWithFields({ filename: `1${' '.repeat(300_000)}x` }),
  'a filename field of a million dots': createFormWithFields({ filename: `1${'.'.repeat(million)}x` }),
  'a tag of a million spaces': createFormWithFields({ tag: ' '.repeat(million) }),
  'a quality of a million digits': createFormWithFields({ quality: '9'.repeat(million) }),
  'a million page ranges': createFormWithFields({ pages: '1,'.repeat(million / 2) }),
  'deeply nested options': createFormWithFields({ options: '['.repeat(60_000) }),
  '50,000 options': createFormWithFields({
    options: JSON.stringify(Object.fromEntries(Array(50_000).fill(0).entries())),
  }),
  '190 unknown fields': createFormWithFields(
    Object.fromEntries(Array.from({ length: 190 }, (_, at) => [`qualty${at}`, 'x'])),
  ),
  'a webhookUrl with many dots': createFormWithFields({ webhookUrl: `https://${'a.'.repeat(million / 2)}` }),
  'an SVG with many decorations': createStyledSvg('text-decoration:'),
  'an SVG with many masks': createStyledSvg('mask:'),
  'an SVG with many filters': createStyledSvg('filter:'),
  'an SVG with many unclosed text elements': createSvgz('<text x=" '.repeat(500_000)),
  'an SVG with many comments': createSvgz('data:<!--'.repeat(500_000)),
  'an SVG with many unclosed groups': createSvgz(`<use/>${'<g id="a">'.repeat(500_000)}`),
  'an SVG with nested entities': {
    filename: 'a.svg',
    bytes: `<!DOCTYPE x [${entities}]>${svgStart}<text>&e0;</text></svg>`,
  },
  'an XML file of comments': { filename: 'a.xml', bytes: '<!---->'.repeat(9000) },
  'a ZIP of 65,535 entries': { filename: 'a.zip', bytes: createZip(65_535, (index) => `f${index}`) },
  'a ZIP of long names': { filename: 'a.zip', bytes: createZip(20_000, (index) => 'a/'.repeat(100) + index) },
  'a PDF whose cross-reference table refers to itself': { filename: 'a.pdf', bytes: createPdf(1, undefined) },
  'a PDF with 20,000 cross-reference tables': { filename: 'a.pdf', bytes: createPdf(20_000, 0) },
  'a PDF of unclosed dictionaries': {
    filename: 'a.pdf',
    bytes: `%PDF-1.4\n${'<<'.repeat(500_000)}/Encrypt startxref 9 %%EOF`,
  },
  'a JPEG with 300,000 segments': { filename: 'a.jpg', bytes: createJpeg(300_000, 2) },
  'a JPEG with 4 MB of metadata': { filename: 'a.jpg', bytes: createJpeg(64, 65_535) },
  'an MP4 of 100,000 boxes': { filename: 'a.mp4', bytes: mp4(100_000, 8) },
  'an MP4 of boxes that are far apart': { filename: 'a.mp4', bytes: mp4(5000, 3000) },
  'an email with nested parts': { filename: 'a.eml', bytes: `From: a@b\nMIME-Version: 1.0\n${nestedMime}` },
  'an email with a long header': { filename: 'a.eml', bytes: `Subject: ${'=?utf-8?q?'.repeat(100_000)}` },
  'deeply nested JSON': { filename: 'a.json', bytes: '['.repeat(million) },
}
