import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MetadataOptions } from '../../lib/engines/shared/metadata/options.ts'
import { type FormatId, formatById } from '../../lib/formats/index.ts'
import { python3 } from '../support/python.ts'

const run = promisify(execFile)
const readOptions = { encoding: 'latin1', maxBuffer: 1 << 28, timeout: 300_000 } as const
const read = async (bin: string, ...args: string[]) => (await run(bin, args, readOptions)).stdout

/** Programs that turn formats into one that ImageMagick reads; `in` and `out` stand for paths. */
const imageDecoders: Partial<Record<FormatId, readonly [extension: string, ...command: string[]]>> = {
  jxl: ['png', 'djxl', 'in', 'out'],
  jxr: ['tif', 'JxrDecApp', '-i', 'in', '-o', 'out'],
  djvu: ['ppm', 'ddjvu', '-format=ppm', 'in', 'out'],
  avif: ['png', 'heif-convert', 'in', 'out'],
  heic: ['png', 'heif-convert', 'in', 'out'],
  // Checksums of pixels from the sixel decoder are always those of black (ImageMagick 6.9.11).
  sixel: ['png', 'convert', 'in', 'out'],
  svgz: ['svg', 'sh', '-c', 'gzip -dc "$0" >"$1"', 'in', 'out'],
}

/** Size, depth, colors, quality, compression, density and pixels of each frame, and what ExifTool shows. */
async function readImage(path: string, format: FormatId, option: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'image-content-'))
  try {
    const decoder = imageDecoders[format]
    const decodedPath = decoder ? join(folder, `decoded.${decoder[0]}`) : path
    if (decoder) {
      const [bin = '', ...args] = decoder
        .slice(1)
        .map((word) => (word === 'in' ? path : word === 'out' ? decodedPath : word))
      await run(bin, args, { timeout: 300_000 })
    }
    const facts = '%w %h %z %[colorspace] %[channels] %Q %C %[interlace] %[profiles] %x %y %T %#\n'
    const [frames, metadata] = await Promise.all([
      read('identify', '-quiet', '-format', facts, decodedPath),
      // ImageMagick knows neither how often an animation plays nor that a PNG is animated.
      readMetadata(path, ['loop', 'fps'].includes(option) ? 'metadata' : option),
    ])
    return `${frames}\n${metadata}`
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export const isAboutMetadata = (option: string) =>
  ['metadata', 'removeMetadata', 'strip', 'pdfaVersion'].includes(option) ||
  Object.hasOwn(MetadataOptions.shape, option)

/** All that ExifTool knows of the content, without facts of the file system. */
export const readMetadata = async (path: string, option: string) =>
  isAboutMetadata(option)
    ? (await read('exiftool', '-G1', '-a', '-x', 'System:all', '-x', 'ExifTool:all', path)).replaceAll(
        /^.*(?:File (?:Name|Size)|Directory|Media Data (?:Size|Offset)).*:.*$/gm,
        '',
      )
    : ''

/** The streams, tags and chapters as FFmpeg shows them, and checksums of the decoded frames and samples. */
async function readMedia(path: string, _format: FormatId, option: string): Promise<string> {
  const args = [
    '-hide_banner',
    '-nostats',
    '-i',
    path,
    '-map',
    '0:v?',
    '-map',
    '0:a?',
    '-f',
    'streamhash',
    '-',
  ]
  // One process for both, because FFmpeg takes longer to start than to decode the short files.
  const [{ stdout, stderr }, metadata] = await Promise.all([
    run('ffmpeg', args, readOptions),
    readMetadata(path, option),
  ])
  const facts = stderr.split(/^Stream mapping:/m)[0] ?? ''
  return [facts.replaceAll(/^Input #.*$|^\s*encoder\s*:.*$|(?<=@ )0x[\da-f]+/gm, ''), metadata, stdout].join(
    '\n',
  )
}

/** The characters and names of a font, and its tables with their lengths. */
async function readFont(path: string, format: FormatId): Promise<string> {
  const facts = await read('fc-scan', path).catch(() => '')
  const hasTables = (['ttf', 'otf', 'woff', 'woff2', 'ttc'] as const).some((id) => id === format)
  const listTablesScript = `import sys
from fontTools.ttLib import TTFont
font = TTFont(sys.argv[1], fontNumber=0)
for tag in font.keys():
    if tag != 'GlyphOrder': print(tag, len(font.getTableData(tag)))`
  const tables = hasTables ? await read(python3, '-c', listTablesScript, path) : ''
  if (facts === '' && tables === '')
    return (await readFile(path, 'latin1')).replaceAll(/^(?:XUID|CreationTime|ModificationTime):.*$/gm, '')
  return facts.replaceAll(/^\s*file:.*$/gm, '') + tables
}

/** Names, sizes, methods and encryption of the entries. */
async function readArchive(path: string): Promise<string> {
  const list = await read('7zz', 'l', '-slt', '-psecret', path)
  return list.replaceAll(/^(?:Path = \/|Modified|Created|Accessed|Listing archive|Scanning).*$/gm, '')
}

const readers: Partial<Record<string, (path: string, format: FormatId, option: string) => Promise<string>>> =
  {
    image: readImage,
    video: readMedia,
    audio: readMedia,
    font: readFont,
    archive: readArchive,
  }

/** Options whose only effect may be the size of the file. */
export const sizeOptions = [
  'compressionLevel',
  'quality',
  'jpegQuality',
  'targetSize',
  'maxFileSize',
  'preset',
  'palette',
]

/** @returns undefined if no other program reads the format. */
export async function readMediaContent(
  path: string,
  format: FormatId,
  option: string,
): Promise<string | undefined> {
  const reader = readers[formatById(format).category]
  const content = await reader?.(path, format, option).catch(() => undefined)
  if (content === undefined) return undefined
  return sizeOptions.includes(option) ? `${(await stat(path)).size}\n${content}` : content
}
