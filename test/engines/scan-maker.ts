import sharp from 'sharp'
import { type Objects, pdfOf } from './pdf-maker.ts'

interface Look {
  readonly font?: string
  /** Degrees, clockwise. */
  readonly turned?: number
}

/** In pixels, 150 to the inch: little more than the head of a letter, so that it is read soon. */
const page = { width: 600, height: 360 } as const
const points = (pixels: number) => Math.round((pixels * 72) / 150)

/** A JPEG of some lines of text, as a scanner makes it. */
export async function scannedPage(
  lines: readonly string[],
  { font = 'DejaVu Serif', turned = 0 }: Look = {},
): Promise<Buffer> {
  const text = { text: lines.join('\n'), font: `${font} 11`, dpi: 150 }
  const drawn = await sharp({ text }).negate().png().toBuffer()
  const paper = sharp({ create: { ...page, channels: 3, background: 'white' } })
  const laid = await paper
    .composite([{ input: drawn, left: 50, top: 40 }])
    .png()
    .toBuffer()
  return sharp(laid).rotate(turned, { background: 'white' }).toColourspace('b-w').jpeg().toBuffer()
}

/** A PDF that is nothing but pictures, one to a page, numbered i, ii and so on, with an outline that leads to the last one. */
export async function scanOf(pictures: readonly Uint8Array[]): Promise<Buffer> {
  const first = 5
  const placeOf = (index: number) => first + index * 3
  const pages: Objects[] = []
  for (const [index, data] of pictures.entries()) {
    const { width, height } = await sharp(data).metadata()
    const at = placeOf(index)
    const resources = `<< /XObject << /Im ${at + 2} 0 R >> >>`
    const box = `[0 0 ${points(width)} ${points(height)}]`
    const look = `/Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`
    pages.push({
      [at]: `<< /Type /Page /Parent 2 0 R /MediaBox ${box} /Contents ${at + 1} 0 R /Resources ${resources} >>`,
      [at + 1]: {
        dict: '<< >>',
        data: Buffer.from(`q ${points(width)} 0 0 ${points(height)} 0 0 cm /Im Do Q`),
      },
      [at + 2]: { dict: `<< /Type /XObject /Subtype /Image ${look} /Filter /DCTDecode >>`, data },
    })
  }
  const kids = pictures.map((_, index) => `${placeOf(index)} 0 R`)
  return pdfOf({
    1: '<< /Type /Catalog /Pages 2 0 R /Outlines 3 0 R /PageLabels << /Nums [0 << /S /r >>] >> >>',
    2: `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`,
    3: '<< /Type /Outlines /First 4 0 R /Last 4 0 R /Count 1 >>',
    4: `<< /Title (The end) /Parent 3 0 R /Dest [${kids.at(-1)} /Fit] >>`,
    ...Object.assign({}, ...pages),
  })
}
