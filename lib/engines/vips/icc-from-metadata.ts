import { readFile, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { deflateSync } from 'node:zlib'
import { buildPng, type PngChunk, readPngChunks } from '../../binary/png.ts'
import type { InputFile, Tools } from '../engine.ts'
import { buildGrayProfile, buildRgbProfile, type Chromaticities, type Curve } from './build-icc.ts'
import { maxPixels } from './limits.ts'
import type { PngHead } from './png-head.ts'
import type { ColorCodes } from './tone-mapping.ts'

/** Largest PNG, in bytes, that is copied only to add a profile. */
const maxCopiedBytes = 256 * 1024 * 1024

interface Colors {
  readonly primaries: Chromaticities
  readonly curve: Curve
}

const srgbPrimaries: Chromaticities = [0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06]
/** Primaries of sRGB and of wide-gamut screens by H.273 code; all three have the same white point. */
const primariesByCode: Readonly<Record<number, Chromaticities>> = {
  1: srgbPrimaries,
  9: [0.3127, 0.329, 0.708, 0.292, 0.17, 0.797, 0.131, 0.046],
  12: [0.3127, 0.329, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06],
}
const srgbTransferCode = 13

/**
 * Returns the image with an ICC profile if PNG chunks (`gAMA`, `cHRM`, `cICP`) say that it is not sRGB. Browsers
 * respect these chunks, but libvips ignores them.
 */
export async function addProfileFromPng(input: InputFile, head: PngHead, tools: Tools): Promise<string> {
  const header = head.get('IHDR')
  const colors = readPngColors(head)
  if (!colors || !header || input.size > maxCopiedBytes) return input.path
  const isDeepGray = !hasColor(header) && header.readUInt8(8) === 16
  // libvips applies no profile to 16-bit gray, so the image is converted to RGB.
  const source = isDeepGray ? await writePixelsAsPng(input.path, 'rgb16', tools) : input.path
  const isColored = hasColor(header) || isDeepGray
  const profile = isColored ? buildRgbProfile(colors.primaries, colors.curve) : buildGrayProfile(colors.curve)
  const path = createProfiledPath(input.path, tools)
  // A truncated file is reported when its pixels are read.
  return (await writeWithProfile(source, profile, path)) ? path : input.path
}

const createProfiledPath = (path: string, { workDir }: Tools) =>
  join(workDir, `${parse(path).name}-profiled.png`)

async function writePixelsAsPng(path: string, space: 'rgb16' | 'srgb', tools: Tools): Promise<string> {
  const { default: sharp } = await import('sharp')
  const plainPath = join(tools.workDir, `${parse(path).name}-plain.png`)
  await sharp(path, { limitInputPixels: maxPixels, ignoreIcc: true })
    .toColourspace(space)
    .keepExif()
    .keepXmp()
    .png({ compressionLevel: 1 })
    .toFile(plainPath)
  return plainPath
}

/** Copies an image whose colors are given only by H.273 codes, such as an AVIF, into a PNG with an ICC profile. */
export async function addProfileFromCodes(
  path: string,
  { primaries, transfer }: ColorCodes,
  tools: Tools,
): Promise<string | undefined> {
  const colors = getColorsByCode(primaries, transfer)
  if (!colors) return undefined
  const { default: sharp } = await import('sharp')
  const { icc, depth, space } = await sharp(path, { limitInputPixels: maxPixels }).metadata()
  // An existing profile takes precedence, and gray images need none.
  if (icc || !/^s?rgb/.test(space)) return undefined
  const plainPngPath = await writePixelsAsPng(path, depth === 'ushort' ? 'rgb16' : 'srgb', tools)
  const profiledFile = createProfiledPath(path, tools)
  return (await writeWithProfile(plainPngPath, buildRgbProfile(colors.primaries, colors.curve), profiledFile))
    ? profiledFile
    : undefined
}

/** Writes a copy of the PNG with the profile. Returns false if its chunks are truncated. */
async function writeWithProfile(png: string, profile: Buffer, path: string): Promise<boolean> {
  const chunks = readAllChunks(await readFile(png))
  if (!chunks) return false
  const otherChunks = chunks.filter(({ type }) => !colorChunks.includes(type))
  const chunk = { type: 'iCCP', data: createProfileChunk(profile) }
  await writeFile(path, buildPng([...otherChunks.slice(0, 1), chunk, ...otherChunks.slice(1)]))
  return true
}

const colorChunks = ['gAMA', 'cHRM', 'sRGB', 'cICP']

/** Reads the chunks; undefined if the file is truncated, or if something other than a chunk follows the last one. */
function readAllChunks(file: Buffer): readonly PngChunk[] | undefined {
  try {
    return [...readPngChunks(file)]
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const hasColor = (header: Buffer) => (header.readUInt8(9) & 2) !== 0

/**
 * Returns the colors by the precedence in PNG (third edition), section 4.3: `cICP`, `iCCP`, `sRGB`, then `gAMA` with
 * `cHRM`.
 */
function readPngColors(chunks: PngHead): Colors | undefined {
  const codesChunk = chunks.get('cICP')
  if (codesChunk && codesChunk.length >= 2)
    return getColorsByCode(codesChunk.readUInt8(0), codesChunk.readUInt8(1))
  const gamma = chunks.get('gAMA')
  if (chunks.has('iCCP') || chunks.has('sRGB') || gamma?.length !== 4) return undefined
  const exponent = 100_000 / gamma.readUInt32BE(0)
  const primaries = parseChromaticities(chunks.get('cHRM'))
  const isSrgbGamma = Math.abs(exponent / 2.2 - 1) < 0.05
  if (!Number.isFinite(exponent) || exponent < 0.5 || exponent > 5) return undefined
  if (isSrgbGamma && primaries === srgbPrimaries) return undefined
  return { primaries, curve: exponent }
}

function getColorsByCode(code: number, transfer: number): Colors | undefined {
  const primaries = primariesByCode[code]
  if (transfer !== srgbTransferCode || !primaries || primaries === srgbPrimaries) return undefined
  return { primaries, curve: 'srgb' }
}

function parseChromaticities(chunk: Buffer | undefined): Chromaticities {
  if (chunk?.length !== 32) return srgbPrimaries
  const readFixedPoint = (index: number) => chunk.readUInt32BE(index * 4) / 100_000
  const values: Chromaticities = [
    readFixedPoint(0),
    readFixedPoint(1),
    readFixedPoint(2),
    readFixedPoint(3),
    readFixedPoint(4),
    readFixedPoint(5),
    readFixedPoint(6),
    readFixedPoint(7),
  ]
  return values.every((value, index) => Math.abs(value - (srgbPrimaries[index] ?? 0)) < 0.01)
    ? srgbPrimaries
    : values
}

/** Contains the profile name, the compression method and the compressed profile (section 11.3.2.3). */
const createProfileChunk = (profile: Buffer) =>
  Buffer.concat([Buffer.from('icc\0\0', 'latin1'), deflateSync(profile)])
