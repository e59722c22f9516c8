import type { FileBytes } from './bytes.ts'
import type { Holding } from './holding.ts'
import { openZip } from './zip.ts'

const holdingOf = (entries: number): Holding => ({ counts: { entries }, features: [] })

/** Its files, without folders. */
export async function zipEntries(bytes: FileBytes): Promise<Holding | undefined> {
  const zip = await openZip(bytes)
  return zip && holdingOf(zip.names.filter((name) => !name.endsWith('/')).length)
}

/** Headers are read one by one; an archive of more of them is not counted. */
const mostHeaders = 5000
/** Files, by POSIX ustar and by what came before; links and folders are none. */
const fileTypes = new Set(['0', '\0', '7'])

export async function tarEntries(bytes: FileBytes): Promise<Holding | undefined> {
  let entries = 0
  let headers = 0
  for (let at = 0; at + 512 <= bytes.size; headers++) {
    if (headers > mostHeaders) return undefined
    const head = await bytes.at(at, 512)
    if (head[0] === 0) break
    const size = sizeIn(head.subarray(124, 136))
    if (Number.isNaN(size)) return undefined
    const isFolder = head.toString('latin1', 0, 100).replace(/\0.*$/s, '').endsWith('/')
    if (fileTypes.has(head.toString('latin1', 156, 157)) && !isFolder) entries++
    at += 512 + Math.ceil(size / 512) * 512
  }
  return holdingOf(entries)
}

/** Octal digits, or GNU's binary number where these are too few. */
function sizeIn(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return Number(field.readBigUInt64BE(4))
  const digits = field.toString('latin1').replaceAll(/[\0 ]/g, '')
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}

/** Pictures of a comic. */
export async function comicPages(bytes: FileBytes): Promise<Holding | undefined> {
  const zip = await openZip(bytes)
  const pages = zip?.names.filter((name) => /\.(?:jpe?g|png|gif|webp|bmp|tiff?|avif|jxl)$/i.test(name)).length
  return pages ? { counts: { pages }, features: [] } : undefined
}
