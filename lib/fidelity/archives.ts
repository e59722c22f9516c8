import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { type FileBytes, maxReadBytes } from './bytes.ts'
import type { ContentSummary } from './content-summary.ts'
import { openZip } from './zip.ts'

const createSummary = (entries: number): ContentSummary => ({ counts: { entries }, features: [] })

/** Counts the files of a ZIP, without folders. */
export async function countZipEntries(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const zip = await openZip(bytes)
  return zip && createSummary(zip.names.filter((name) => !name.endsWith('/')).length)
}

/** Maximum number of headers, which are read one by one; larger archives are not counted. */
const maxHeaders = 5000
/** Entry type of a sparse file in old GNU tar. */
const sparseFileType = 'S'
/** Entry types of files in POSIX ustar, older formats and old GNU tar, without links and folders. */
const regularFileTypes = new Set(['0', '\0', '7', sparseFileType])
/**
 * Offsets of the flag that says whether the map of a sparse file continues: in the header, and in further blocks of the
 * map.
 */
const sparseMapFlagOffsets = { header: 482, block: 504 } as const

/** A source of bytes that can be read in parts. */
type ByteSource = Pick<FileBytes, 'size' | 'at'>

export async function countTarEntries(bytes: ByteSource): Promise<ContentSummary | undefined> {
  let entries = 0
  let headers = 0
  for (let at = 0; at + 512 <= bytes.size; headers++) {
    if (headers > maxHeaders) return undefined
    const head = await bytes.at(at, 512)
    if (head[0] === 0) break
    const size = parseSize(head.subarray(124, 136))
    if (Number.isNaN(size)) return undefined
    const isFolder = head.toString('latin1', 0, 100).replace(/\0.*$/s, '').endsWith('/')
    const type = head.toString('latin1', 156, 157)
    if (regularFileTypes.has(type) && !isFolder) entries++
    at += 512
    let hasMoreSparseMap = type === sparseFileType && head[sparseMapFlagOffsets.header] === 1
    for (; hasMoreSparseMap; at += 512)
      hasMoreSparseMap = (await bytes.at(at, 512))[sparseMapFlagOffsets.block] === 1
    at += Math.ceil(size / 512) * 512
  }
  return createSummary(entries)
}

/** Parses octal digits, or GNU's binary number for larger sizes. */
function parseSize(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return Number(field.readBigUInt64BE(4))
  const digits = field.toString('latin1').replaceAll(/[\0 ]/g, '')
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}

const decompressors = { gz: gunzipSync, zst: zstdDecompressSync } as const

/**
 * Creates a reader that counts the entries of a compressed tar, if it is small enough to be counted within a few
 * milliseconds.
 * @throws RangeError if the decompressed content is too large.
 */
export function createCompressedTarReader(compression: keyof typeof decompressors) {
  return async (bytes: FileBytes): Promise<ContentSummary | undefined> => {
    if (bytes.size > maxCompressedBytes) return undefined
    const data = decompressors[compression](await bytes.readWhole(), { maxOutputLength: maxReadBytes })
    return countTarEntries({
      size: data.length,
      at: async (from, length) => data.subarray(from, from + length),
    })
  }
}
const maxCompressedBytes = 4 * 1024 * 1024

/** The cpio variants with numbers as text, which POSIX and UNIX System V define. */
const cpioVariants = {
  '070707': { head: 76, mode: [18, 6], name: [59, 6], size: [65, 11], radix: 8, align: 1 },
  '070701': { head: 110, mode: [14, 8], name: [94, 8], size: [54, 8], radix: 16, align: 4 },
  '070702': { head: 110, mode: [14, 8], name: [94, 8], size: [54, 8], radix: 16, align: 4 },
} as const
const regularFile = 0o100000
const fileTypeMask = 0o170000

export async function countCpioEntries(bytes: FileBytes): Promise<ContentSummary | undefined> {
  let entries = 0
  let headers = 0
  for (let at = 0; at + 76 <= bytes.size; headers++) {
    if (headers > maxHeaders) return undefined
    const head = (await bytes.at(at, 110)).toString('latin1')
    const variant = cpioVariants[head.slice(0, 6) as keyof typeof cpioVariants] // may be another kind of file
    if (variant === undefined) return undefined
    const readField = ([from, length]: readonly [number, number]) =>
      Number.parseInt(head.slice(from, from + length), variant.radix)
    const alignUp = (to: number) => Math.ceil(to / variant.align) * variant.align
    const [size, name] = [readField(variant.size), readField(variant.name)]
    if (Number.isNaN(size + name)) return undefined
    const entryName = (await bytes.at(at + variant.head, Math.min(name, 16))).toString('latin1')
    if (entryName.startsWith('TRAILER!!!')) return createSummary(entries)
    if ((readField(variant.mode) & fileTypeMask) === regularFile) entries++
    at = alignUp(alignUp(at + variant.head + name) + size)
  }
  return undefined
}

/** Counts the files of a cabinet by its CFHEADER ([MS-CAB] 2.1). */
export async function countCabEntries(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const head = await bytes.at(0, 36)
  return head.toString('latin1', 0, 4) === 'MSCF' ? createSummary(head.readUInt16LE(28)) : undefined
}

/** Counts the files of Unix `ar` archives, without the archive's own index, whose names start with a slash. */
export async function countArEntries(bytes: FileBytes): Promise<ContentSummary | undefined> {
  if ((await bytes.at(0, 8)).toString('latin1') !== '!<arch>\n') return undefined
  let entries = 0
  for (let at = 8, headers = 0; at + 60 <= bytes.size; headers++) {
    const head = (await bytes.at(at, 60)).toString('latin1')
    const size = Number(head.slice(48, 58).trim())
    if (headers > maxHeaders || !head.endsWith('`\n') || Number.isNaN(size)) return undefined
    if (!/^\/(?:\s|\/|SYM64)/.test(head)) entries++
    at += 60 + size + (size % 2)
  }
  return createSummary(entries)
}

const imageNamePattern = /\.(?:jpe?g|png|gif|webp|bmp|tiff?|avif|jxl)$/i
/** Matches the second file that macOS adds for each file, with the attributes of that file. */
const attributesNamePattern = /(?:^|\/)(?:__MACOSX\/|\._)/

/** Counts the images of a comic book. */
export async function countComicPages(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const zip = await openZip(bytes)
  const pages = zip?.names.filter(
    (name) => imageNamePattern.test(name) && !attributesNamePattern.test(name),
  ).length
  return pages ? { counts: { pages }, features: [] } : undefined
}
