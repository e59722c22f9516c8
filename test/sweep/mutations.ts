import { Buffer } from 'node:buffer'
import { pickOne } from './seeded-random.ts'

type Mutation = (bytes: Buffer, random: () => number) => Buffer

const truncate =
  (share: number): Mutation =>
  (bytes) =>
    bytes.subarray(0, Math.max(1, Math.floor(bytes.length * share)))

/** Flips bits anywhere, including headers. */
const flipBits =
  (count: number): Mutation =>
  (bytes, random) => {
    const mutated = Buffer.from(bytes)
    for (let doneCount = 0; doneCount < count; doneCount++) {
      const at = Math.floor(random() * mutated.length)
      mutated[at] = (mutated[at] ?? 0) ^ (1 << Math.floor(random() * 8))
    }
    return mutated
  }

/** Replaces a block after the header, like a disk or transfer error. */
const changeBlock =
  (change: (before: Buffer, block: Buffer, after: Buffer) => readonly Buffer[]): Mutation =>
  (bytes, random) => {
    const size = Math.ceil(bytes.length * 0.04)
    const start = Math.floor(bytes.length * 0.1 + random() * bytes.length * 0.8)
    return Buffer.concat(
      change(bytes.subarray(0, start), bytes.subarray(start, start + size), bytes.subarray(start + size)),
    )
  }

/** Damage as it happens during storage and transfer. */
export const mutations: Readonly<Record<string, Mutation>> = {
  'cut at 25 %': truncate(0.25),
  'cut at 60 %': truncate(0.6),
  'cut at 95 %': truncate(0.95),
  'one bit': flipBits(1),
  '20 bits': flipBits(20),
  'zeroed block': changeBlock((before, block, after) => [before, Buffer.alloc(block.length), after]),
  'lost block': changeBlock((before, _, after) => [before, after]),
  'double block': changeBlock((before, block, after) => [before, block, block, after]),
  'bytes behind': (bytes, random) =>
    Buffer.concat([bytes, Buffer.from(Array.from({ length: 700 }, () => Math.floor(random() * 256)))]),
}

/** Wrong extensions that a file could have. */
export const wrongExtensions = [
  'jpg',
  'png',
  'pdf',
  'docx',
  'mp4',
  'mp3',
  'txt',
  'zip',
  'ttf',
  'epub',
] as const

export const pickWrongExtension = (correctExtension: string, random: () => number): string => {
  const extension = pickOne(wrongExtensions, random)
  return extension === correctExtension ? 'tiff' : extension
}
