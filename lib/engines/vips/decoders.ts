import { mkdir, readdir } from 'node:fs/promises'
import { join, parse } from 'node:path'
import type { FormatId } from '../../formats/index.ts'
import type { InputFile, Tools } from '../engine.ts'
import { runMagick } from '../imagemagick/run.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { setUpright } from './exif-fields.ts'

/** Camera raw formats, decoded by LibRaw. */
export const cameraFormats = [
  '3fr',
  'arw',
  'cr2',
  'cr3',
  'dcr',
  'dng',
  'erf',
  'fff',
  'iiq',
  'mef',
  'mrw',
  'nef',
  'nrw',
  'orf',
  'pef',
  'raf',
  'raw',
  'rw2',
  'rwl',
  'sr2',
  'srf',
  'srw',
] as const satisfies readonly FormatId[]

/** A file that libvips reads in place of the original. */
export interface DecodedFile {
  readonly path: string
  readonly format: FormatId
}

interface DecodeJob {
  readonly input: InputFile
  /** Whether the target is lossless, so that the intermediate file must be lossless too. */
  readonly isLossless: boolean
  /** Whether the decoder retains all bits per channel, which takes more time and disk space. */
  readonly hasDeepColor: boolean
  readonly tools: Tools
}

type ImageDecoder = (job: DecodeJob) => Promise<DecodedFile>

const decodeCameraRaw: ImageDecoder = async ({ input, hasDeepColor, tools }) => {
  const path = createDecodedPath(input, tools, 'tif')
  // -w applies the white balance that the camera measured. dcraw_emu also rotates the image upright.
  const depthArgs = hasDeepColor ? ['-6'] : []
  const { stderr } = await tools.exec('dcraw_emu', ['-w', ...depthArgs, '-T', '-Z', path, input.path])
  // The exit code of dcraw_emu is always 0, and it continues after damaged data.
  if (/cannot (?:unpack|open)/i.test(stderr)) throw new ProcessFailure('dcraw_emu', 0, stderr)
  if (/data corrupted|unexpected end/i.test(stderr)) {
    tools.warn('IMAGE_DAMAGED', 'The photo is damaged; a part of it may be missing.')
  }
  return { path, format: 'tiff' }
}

const jxl: ImageDecoder = async ({ input, tools }) => {
  const path = createDecodedPath(input, tools, 'png')
  try {
    await tools.exec('djxl', [input.path, path, '--quiet'])
  } catch (error) {
    // djxl 0.7 cannot write 16 bits per channel with transparency; GraphicsMagick can.
    if (!(error instanceof ProcessFailure) || !/encode failed/i.test(error.stderr)) throw error
    await tools.exec('gm', ['convert', `jxl:${input.path}`, `png:${path}`])
  }
  return { path, format: 'png' }
}

const jxr: ImageDecoder = async ({ input, tools }) => {
  const path = createDecodedPath(input, tools, 'tif')
  await tools.exec('JxrDecApp', ['-i', input.path, '-o', path])
  return { path, format: 'tiff' }
}

const djvu: ImageDecoder = async ({ input, tools }) => {
  const path = createDecodedPath(input, tools, 'tif')
  // Compresses the pages, because an uncompressed book of scans would fill the disk.
  await tools.exec('ddjvu', ['-format=tiff', '-quality=90', input.path, path])
  return { path, format: 'tiff' }
}

const decodeIcns: ImageDecoder = async ({ input, tools }) => {
  const folder = join(tools.workDir, `${parse(input.path).name}-icons`)
  await mkdir(folder)
  await tools.exec('icns2png', ['-x', '-o', folder, input.path])
  const readSide = (name: string) => Number(/_(\d+)x\d+x\d+\.png$/.exec(name)?.[1] ?? 0)
  const [largestFile] = (await readdir(folder)).sort((a, b) => readSide(b) - readSide(a))
  if (largestFile === undefined)
    throw new ProcessFailure('icns2png', 0, 'icns2png found no icon in the file.')
  return { path: join(folder, largestFile), format: 'png' }
}

/**
 * Uses heif-convert, because sharp's libvips has no HEVC decoder. If the target is lossy too, the intermediate file is
 * a JPEG, which takes a sixth of the time of a PNG.
 */
const heic: ImageDecoder = async ({ input, isLossless, tools }) => {
  const decodedPath = createDecodedPath(input, tools, isLossless ? 'png' : 'jpg')
  await tools.exec('heif-convert', ['-q', '97', input.path, decodedPath])
  const path = await findPrimaryHeicImage(input, decodedPath, tools)
  // The EXIF data repeats the rotation that heif-convert has applied (ISO/IEC 23008-12, 6.5.10).
  await setUpright(path)
  return { path, format: isLossless ? 'png' : 'jpg' }
}

/**
 * Returns the path of the primary image: heif-convert writes one file per image, with a number before the extension.
 */
async function findPrimaryHeicImage(input: InputFile, path: string, tools: Tools): Promise<string> {
  const { dir, name, ext } = parse(path)
  const numberedNamePattern = new RegExp(`^${name}-\\d+\\${ext}$`)
  const { length } = (await readdir(dir)).filter((file) => numberedNamePattern.test(file))
  if (length === 0) return path
  const { stdout } = await tools.exec('heif-info', [input.path])
  const primaryIndex = [...stdout.matchAll(/^image: .*$/gm)].findIndex(([line]) => line.endsWith('primary'))
  tools.warn('PICTURES_DROPPED', `Only the primary image of ${length} in the file was converted.`)
  return join(dir, `${name}-${Math.max(primaryIndex, 0) + 1}${ext}`)
}

const bmp: ImageDecoder = async ({ input, tools }) => {
  const path = createDecodedPath(input, tools, 'png')
  await runMagick(tools, 'convert', [`bmp:${input.path}[0]`, '-quality', '10', `png:${path}`])
  return { path, format: 'png' }
}

const decoders: Partial<Record<FormatId, ImageDecoder>> = {
  heic,
  jxl,
  jxr,
  djvu,
  icns: decodeIcns,
  bmp,
  ...Object.fromEntries(cameraFormats.map((id) => [id, decodeCameraRaw])),
}

/** Returns the decoder for a format that libvips cannot read; undefined for formats that it can. */
export function getImageDecoder(format: FormatId): ImageDecoder | undefined {
  return decoders[format]
}

function createDecodedPath(input: InputFile, tools: Tools, extension: string): string {
  return join(tools.workDir, `${parse(input.path).name}-decoded.${extension}`)
}
