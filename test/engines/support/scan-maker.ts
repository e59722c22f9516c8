import sharp from 'sharp'
import { createPdf, type PdfFileObjects } from './pdf-maker.ts'

interface ScanOptions {
  readonly font?: string
  /** Rotation of the page in degrees, clockwise. */
  readonly rotation?: number
}

/** Size in pixels of a page at 150 dpi. It is small, so that OCR is fast. */
const page = { width: 600, height: 360 } as const
const toPoints = (pixels: number) => Math.round((pixels * 72) / 150)

/** Creates a JPEG of some lines of text, like a scanned page. */
export async function createScannedPage(
  lines: readonly string[],
  { font = 'DejaVu Serif', rotation = 0 }: ScanOptions = {},
): Promise<Buffer> {
  const text = { text: lines.join('\n'), font: `${font} 11`, dpi: 150 }
  const renderedText = await sharp({ text }).negate().png().toBuffer()
  const paper = sharp({ create: { ...page, channels: 3, background: 'white' } })
  const pageImage = await paper
    .composite([{ input: renderedText, left: 50, top: 40 }])
    .png()
    .toBuffer()
  return sharp(pageImage).rotate(rotation, { background: 'white' }).toColourspace('b-w').jpeg().toBuffer()
}

/** Creates a PDF with one image per page, roman page labels, and an outline item for the last page. */
export async function createScannedPdf(images: readonly Uint8Array[]): Promise<Buffer> {
  const firstPageObject = 5
  const getObjectNumber = (index: number) => firstPageObject + index * 3
  const pages: PdfFileObjects[] = []
  for (const [index, data] of images.entries()) {
    const { width, height } = await sharp(data).metadata()
    const at = getObjectNumber(index)
    const resources = `<< /XObject << /Im ${at + 2} 0 R >> >>`
    const box = `[0 0 ${toPoints(width)} ${toPoints(height)}]`
    const imageEntries = `/Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`
    pages.push({
      [at]: `<< /Type /Page /Parent 2 0 R /MediaBox ${box} /Contents ${at + 1} 0 R /Resources ${resources} >>`,
      [at + 1]: {
        dict: '<< >>',
        data: Buffer.from(`q ${toPoints(width)} 0 0 ${toPoints(height)} 0 0 cm /Im Do Q`),
      },
      [at + 2]: { dict: `<< /Type /XObject /Subtype /Image ${imageEntries} /Filter /DCTDecode >>`, data },
    })
  }
  const kids = images.map((_, index) => `${getObjectNumber(index)} 0 R`)
  return createPdf({
    1: '<< /Type /Catalog /Pages 2 0 R /Outlines 3 0 R /PageLabels << /Nums [0 << /S /r >>] >> >>',
    2: `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`,
    3: '<< /Type /Outlines /First 4 0 R /Last 4 0 R /Count 1 >>',
    4: `<< /Title (The end) /Parent 3 0 R /Dest [${kids.at(-1)} /Fit] >>`,
    ...Object.assign({}, ...pages),
  })
}
