import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { type FileBytes, mostAtOnce } from './bytes.ts'
import type { Holding } from './content-summary.ts'
import { openZip } from './zip.ts'

const holdingOf = (entries: number): Holding => ({ counts: { entries }, features: [] })

/** Its files, without folders. */
export async function zipEntries(bytes: FileBytes): Promise<Holding | undefined> {
  const zip = await openZip(bytes)
  return zip && holdingOf(zip.names.filter((name) => !name.endsWith('/')).length)
}

/** Headers are read one by one; an archive of more of them is not counted. */
const mostHeaders = 5000
/** Files, by POSIX ustar, by what came before and by old GNU tar, which leaves out holes; links and folders are none. */
const sparse = 'S'
const fileTypes = new Set(['0', '\0', '7', sparse])
/** Where the header of a sparse file says that more of its map follows, and where each block of that does. */
const mapGoesOn = { header: 482, block: 504 } as const

/** What can be read piece by piece. */
type Pieces = Pick<FileBytes, 'size' | 'at'>

export async function tarEntries(bytes: Pieces): Promise<Holding | undefined> {
  let entries = 0
  let headers = 0
  for (let at = 0; at + 512 <= bytes.size; headers++) {
    if (headers > mostHeaders) return undefined
    const head = await bytes.at(at, 512)
    if (head[0] === 0) break
    const size = sizeIn(head.subarray(124, 136))
    if (Number.isNaN(size)) return undefined
    const isFolder = head.toString('latin1', 0, 100).replace(/\0.*$/s, '').endsWith('/')
    const type = head.toString('latin1', 156, 157)
    if (fileTypes.has(type) && !isFolder) entries++
    at += 512
    let goesOn = type === sparse && head[mapGoesOn.header] === 1
    for (; goesOn; at += 512) goesOn = (await bytes.at(at, 512))[mapGoesOn.block] === 1
    at += Math.ceil(size / 512) * 512
  }
  return holdingOf(entries)
}

/** Octal digits, or GNU's binary number where these are too few. */
function sizeIn(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return Number(field.readBigUInt64BE(4))
  const digits = field.toString('latin1').replaceAll(/[\0 ]/g, '')
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}

const packings = { gz: gunzipSync, zst: zstdDecompressSync } as const

/** A tape archive that Node can unpack, of a size that takes a few milliseconds. @throws RangeError for a larger one. */
export function packedTar(packing: keyof typeof packings) {
  return async (bytes: FileBytes): Promise<Holding | undefined> => {
    if (bytes.size > mostPacked) return undefined
    const data = packings[packing](await bytes.whole(), { maxOutputLength: mostAtOnce })
    return tarEntries({ size: data.length, at: async (from, length) => data.subarray(from, from + length) })
  }
}
const mostPacked = 4 * 1024 * 1024

/** The newer forms of cpio, whose numbers are text, as POSIX and then UNIX System V wrote them. */
const cpioForms = {
  '070707': { head: 76, mode: [18, 6], name: [59, 6], size: [65, 11], radix: 8, align: 1 },
  '070701': { head: 110, mode: [14, 8], name: [94, 8], size: [54, 8], radix: 16, align: 4 },
  '070702': { head: 110, mode: [14, 8], name: [94, 8], size: [54, 8], radix: 16, align: 4 },
} as const
const isFile = 0o100000
const kindOfFile = 0o170000

export async function cpioEntries(bytes: FileBytes): Promise<Holding | undefined> {
  let entries = 0
  let headers = 0
  for (let at = 0; at + 76 <= bytes.size; headers++) {
    if (headers > mostHeaders) return undefined
    const head = (await bytes.at(at, 110)).toString('latin1')
    const form = cpioForms[head.slice(0, 6) as keyof typeof cpioForms] // of a file that may be another
    if (form === undefined) return undefined
    const field = ([from, length]: readonly [number, number]) =>
      Number.parseInt(head.slice(from, from + length), form.radix)
    const up = (to: number) => Math.ceil(to / form.align) * form.align
    const [size, name] = [field(form.size), field(form.name)]
    if (Number.isNaN(size + name)) return undefined
    const named = (await bytes.at(at + form.head, Math.min(name, 16))).toString('latin1')
    if (named.startsWith('TRAILER!!!')) return holdingOf(entries)
    if ((field(form.mode) & kindOfFile) === isFile) entries++
    at = up(up(at + form.head + name) + size)
  }
  return undefined
}

/** [MS-CAB] 2.1, CFHEADER. */
export async function cabinetEntries(bytes: FileBytes): Promise<Holding | undefined> {
  const head = await bytes.at(0, 36)
  return head.toString('latin1', 0, 4) === 'MSCF' ? holdingOf(head.readUInt16LE(28)) : undefined
}

/** Archives of UNIX's linker: what begins with a slash is their own list. */
export async function arEntries(bytes: FileBytes): Promise<Holding | undefined> {
  if ((await bytes.at(0, 8)).toString('latin1') !== '!<arch>\n') return undefined
  let entries = 0
  for (let at = 8, headers = 0; at + 60 <= bytes.size; headers++) {
    const head = (await bytes.at(at, 60)).toString('latin1')
    const size = Number(head.slice(48, 58).trim())
    if (headers > mostHeaders || !head.endsWith('`\n') || Number.isNaN(size)) return undefined
    if (!/^\/(?:\s|\/|SYM64)/.test(head)) entries++
    at += 60 + size + (size % 2)
  }
  return holdingOf(entries)
}

/** Pictures of a comic. */
export async function comicPages(bytes: FileBytes): Promise<Holding | undefined> {
  const zip = await openZip(bytes)
  const pages = zip?.names.filter((name) => /\.(?:jpe?g|png|gif|webp|bmp|tiff?|avif|jxl)$/i.test(name)).length
  return pages ? { counts: { pages }, features: [] } : undefined
}
