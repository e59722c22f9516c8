import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import type { InputFile, Tools } from '../engine.ts'
import { readRawPixels } from '../shared/image/raw-pixels.ts'

const compress = promisify(deflate)

/** PostScript points per inch; an image without a resolution gets one point per pixel. */
const pointsPerInch = 72

interface PostScriptPages {
  /** Path of a PostScript program that draws one page per image, as input for Ghostscript. */
  readonly path: string
  readonly pages: number
}

/**
 * Converts an image to PostScript over a white background, because PostScript has no transparency. The image data
 * follows the operator that reads it, so the program opens no file (PostScript Language Reference 3.13.1).
 */
export async function imageToPostScript(
  input: InputFile,
  maxPages: number,
  tools: Tools,
): Promise<PostScriptPages> {
  const parts: Buffer[] = [Buffer.from('%!PS\n')]
  let pages = 1
  for (let page = 0; page < Math.min(pages, maxPages); page++) {
    const raw = await readRawPixels(input, { page, transparency: 'over white' })
    pages = raw.pages
    const scale = pointsPerInch / (raw.density ?? pointsPerInch)
    parts.push(createImageHeader(raw, scale), await compress(raw.data), Buffer.from('\nshowpage\n'))
    tools.progress((page + 1) / (pages * 2), 'pixels')
  }
  const path = join(tools.workDir, 'image.ps')
  await writeFile(path, parts)
  return { path, pages }
}

interface Raster {
  readonly width: number
  readonly height: number
  readonly channels: number
}

function createImageHeader({ width, height, channels }: Raster, scale: number): Buffer {
  const [w, h] = [width * scale, height * scale]
  const decodeArray = Array.from({ length: channels }, () => '0 1').join(' ')
  return Buffer.from(`<< /PageSize [${w} ${h}] >> setpagedevice
/Device${channels === 1 ? 'Gray' : 'RGB'} setcolorspace
${w} ${h} scale
<< /ImageType 1 /Width ${width} /Height ${height} /BitsPerComponent 8 /Decode [${decodeArray}]
/ImageMatrix [${width} 0 0 -${height} 0 ${height}] /DataSource currentfile /FlateDecode filter >> image
`)
}
