import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { DamagedFileError } from '../../binary/errors.ts'
import { locatePngChunks } from '../../binary/png.ts'
import { openBuffer, openRandomAccess, type RandomAccess } from '../../binary/random-access.ts'
import { Tiff } from '../../binary/tiff.ts'

/** Reads fields of EXIF data, and changes those of a JPEG or PNG in place. */

/** Tags of EXIF 2.32, section 4.6.4. */
const tags = {
  orientation: 0x0112,
  xResolution: 0x011a,
  yResolution: 0x011b,
  resolutionUnit: 0x0128,
} as const
const uprightOrientation = 1
const inchUnit = 2
/** Value of `ResolutionUnit` for resolutions that only tell the shape of a pixel. */
export const noUnit = 1

/** Declares that the pixels are upright, after a decoder has rotated them. */
export const setUpright = (path: string): Promise<void> =>
  editExif(path, new Map([[tags.orientation, uprightOrientation]]))

/** Declares a density in pixels per inch. Only fields that exist are changed. */
export const setExifDensity = (path: string, density: number): Promise<void> =>
  editExif(
    path,
    new Map([
      [tags.xResolution, density],
      [tags.yResolution, density],
      [tags.resolutionUnit, inchUnit],
    ]),
  )

/** Returns the unit of the resolution in EXIF data, if it is there. @param exif begins with its identifier. */
export async function readResolutionUnit(exif: Buffer): Promise<number | undefined> {
  try {
    const tiff = await Tiff.open(openBuffer(exif.subarray(exifSegment.length)))
    for await (const directory of tiff.directories(1))
      for (const { tag, value } of await tiff.entries(directory))
        if (tag === tags.resolutionUnit) return tiff.integer(value.subarray(0, 2))
    return undefined
  } catch (error) {
    // Readers ignore damaged EXIF data.
    if (error instanceof DamagedFileError) return undefined
    throw error
  }
}

async function editExif(path: string, values: ReadonlyMap<number, number>): Promise<void> {
  await using file = await open(path, 'r+')
  const exifLocation = await locateExif(await openRandomAccess(file))
  if (!exifLocation) return
  const { start, end, isPngChunk } = exifLocation
  const { buffer: exif } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
  try {
    await setValues(exif, values)
  } catch (error) {
    // Readers ignore damaged EXIF data.
    if (error instanceof DamagedFileError) return
    throw error
  }
  await file.write(exif, 0, exif.length, start)
  if (isPngChunk) await writeChecksum(file, exif, end)
}

async function setValues(exif: Buffer, values: ReadonlyMap<number, number>): Promise<void> {
  const tiff = await Tiff.open(openBuffer(exif))
  const isLittleEndian = exif.toString('latin1', 0, 2) === 'II'
  const view = new DataView(exif.buffer, exif.byteOffset, exif.length)
  for await (const directory of tiff.directories(1)) {
    for (const { tag, type, at, value } of await tiff.entries(directory)) {
      const newValue = values.get(tag)
      if (newValue === undefined) continue
      if (type === shortType) view.setUint16(at, newValue, isLittleEndian)
      const offset = tiff.integer(value)
      if (type !== rationalType || offset + rationalBytes > exif.length) continue
      view.setUint32(offset, newValue, isLittleEndian)
      view.setUint32(offset + rationalBytes / 2, 1, isLittleEndian)
    }
  }
}

const shortType = 3
const rationalType = 5
const rationalBytes = 8

interface ExifLocation {
  readonly start: number
  readonly end: number
  readonly isPngChunk: boolean
}

const locateExif = async (file: RandomAccess): Promise<ExifLocation | undefined> =>
  (await file.at(0, 2)).equals(startOfJpeg) ? locateInJpeg(file) : locateInPng(file)

const startOfJpeg = Buffer.from([0xff, 0xd8])
const exifSegment = Buffer.from('Exif\0\0', 'latin1')
const exifMarker = 0xe1
/** Maximum number of segments before the image data; photos have about ten. */
const maxSegments = 100

async function locateInJpeg(file: RandomAccess): Promise<ExifLocation | undefined> {
  let at = startOfJpeg.length
  for (let count = 0; count < maxSegments; count++) {
    const head = await file.at(at, 4 + exifSegment.length)
    // Application segments and comments come first.
    if (head.length < 4 + exifSegment.length || head[0] !== 0xff) return undefined
    const end = at + 2 + head.readUInt16BE(2)
    if (head[1] === exifMarker && head.subarray(4).equals(exifSegment))
      return end > file.size ? undefined : { start: at + 4 + exifSegment.length, end, isPngChunk: false }
    at = end
  }
  return undefined
}

async function locateInPng(file: RandomAccess): Promise<ExifLocation | undefined> {
  for await (const { type, start, end } of locatePngChunks(file, maxSegments))
    if (type === 'eXIf') return end > file.size ? undefined : { start, end, isPngChunk: true }
  return undefined
}

async function writeChecksum(file: FileHandle, data: Buffer, at: number): Promise<void> {
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(Buffer.concat([Buffer.from('eXIf', 'latin1'), data])))
  await file.write(checksum, 0, checksum.length, at)
}
