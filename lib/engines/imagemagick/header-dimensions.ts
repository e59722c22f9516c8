import { open } from 'node:fs/promises'
import type { SourceId } from './sources.ts'

/** What the first bytes of a file claim the picture's sides to be; bytes that are not there are 0. */
type Claim = (head: Buffer) => readonly number[]

const headBytes = 1024

const png: Claim = (head) =>
  head.toString('latin1', 12, 16) === 'IHDR' ? [head.readUInt32BE(16), head.readUInt32BE(20)] : []

const text: Claim = (head) => {
  const words = /^P[1-7Ff]\s+(?:#[^\n]*\n\s*)*(\d+)\s+(?:#[^\n]*\n\s*)*(\d+)\s/.exec(head.toString('latin1'))
  return words ? [Number(words[1]), Number(words[2])] : []
}

const bmp: Claim = (head) =>
  head.toString('latin1', 0, 2) === 'BM' ? [head.readInt32LE(18), head.readInt32LE(22)].map(Math.abs) : []

const photoshop: Claim = (head) =>
  head.toString('latin1', 0, 4) === '8BPS' ? [head.readUInt32BE(14), head.readUInt32BE(18)] : []

/** The first and the last column and row. */
const pcx: Claim = (head) =>
  head[0] === 10
    ? [head.readUInt16LE(8) - head.readUInt16LE(4) + 1, head.readUInt16LE(10) - head.readUInt16LE(6) + 1]
    : []

/** A count at 4, entries of 16 bytes from 6 on; those that are PNG have sides of their own. */
const icon: Claim = (head) =>
  Array.from({ length: Math.min(head.readUInt16LE(4), 20) }, (_, index) => {
    const place = head.readUInt32LE(6 + 16 * index + 12)
    return place + 24 <= head.length ? png(head.subarray(place)) : []
  }).flat()

const claims: Readonly<Partial<Record<SourceId, Claim>>> = {
  png,
  ...{ pbm: text, pgm: text, ppm: text, pnm: text, pfm: text },
  ...{ bmp, bmp2: bmp, bmp3: bmp },
  ...{ psd: photoshop, psb: photoshop },
  ...{ ico: icon, cur: icon },
  pcx,
}

/** The longest side; 0 where it is not known. ImageMagick may say of a picture that is too large no more than that it is damaged. */
export async function claimedSide(path: string, from: SourceId): Promise<number> {
  await using file = await open(path)
  const head = Buffer.alloc(headBytes)
  await file.read(head, 0, headBytes, 0)
  return Math.max(0, ...(claims[from]?.(head) ?? []))
}
