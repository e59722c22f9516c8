import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'

/** A part of a file. */
interface Extent {
  readonly start: number
  /** Bytes. */
  readonly size: number
}

interface Entry extends Extent {
  readonly name: Buffer
  readonly crc: number
}

const max16 = 0xffff
const max32 = 0xffffffff

const method = { stored: 0 } as const
/** 4.4.3: 1.0 for what is only stored, 4.5 for ZIP64. */
const neededFor = { stored: 10, zip64: 45 } as const
/** 4.4.2: attributes are those of Unix. */
const madeBy = (3 << 8) | neededFor.zip64
/** A file that its owner may write and all may read. */
const attributes = 0o100644 * 2 ** 16
/** 4.4.4, bit 11: names are UTF-8. */
const flags = 1 << 11

const chunkBytes = 256 * 1024

/**
 * A ZIP of files as they are, for what is compressed already (PKWARE's APPNOTE 6.3.10; numbers are its sections). The
 * libraries send each file through a chain of streams and a checksum in JavaScript: for fifty pages of 260 kB zip.js took
 * 99 ms, client-zip 78 and yazl 66, where this takes 18. It reads each file once, through one buffer, and zlib adds it up.
 */
export class StoredZip {
  readonly #file: FileHandle
  readonly #buffer = Buffer.allocUnsafe(chunkBytes)
  readonly #entries: Entry[] = []
  readonly #time = dosTime(new Date())
  #end = 0

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /** Writes a file that must not be there yet, and is whole when `fill` has ended. */
  static async write(path: string, fill: (zip: StoredZip) => Promise<void>): Promise<void> {
    await using file = await open(path, 'wx')
    const zip = new StoredZip(file)
    await fill(zip)
    await zip.#finish()
  }

  /** A whole file, or a part of one. @returns its bytes. */
  async addFile(name: string, path: string, extent?: Extent): Promise<number> {
    await using source = await open(path)
    const { start = 0, size = (await source.stat()).size } = extent ?? {}
    await this.#add(name, size, async (chunk, at) => {
      const { bytesRead } = await source.read(chunk, 0, Math.min(chunk.length, size - at), start + at)
      return chunk.subarray(0, bytesRead)
    })
    return size
  }

  async addText(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text)
    await this.#add(name, bytes.length, async (chunk, at) => bytes.subarray(at, at + chunk.length))
  }

  async #add(
    name: string,
    size: number,
    read: (chunk: Buffer, at: number) => Promise<Buffer>,
  ): Promise<void> {
    const start = this.#end
    const unsummed = { name: Buffer.from(name), crc: 0, start, size }
    // Written again below: what it says of the sum is known last, how long it is at once.
    await this.#append(this.#localHeader(unsummed))
    let crc = 0
    for (let at = 0; at < size; ) {
      const chunk = await read(this.#buffer, at)
      if (chunk.length === 0) throw new Error(`${name} is shorter than it was`)
      crc = crc32(chunk, crc)
      await this.#append(chunk)
      at += chunk.length
    }
    const entry = { ...unsummed, crc }
    await writeAll(this.#file, this.#localHeader(entry), start)
    this.#entries.push(entry)
  }

  async #append(bytes: Buffer): Promise<void> {
    await writeAll(this.#file, bytes, this.#end)
    this.#end += bytes.length
  }

  /** 4.3.7. */
  #localHeader({ name, crc, size }: Entry): Buffer {
    // 4.5.3: here both sizes, or none.
    const extra = zip64Extra(size >= max32 ? [size, size] : [])
    return Buffer.concat([
      packed([4, 0x04034b50], ...this.#common(extra), [4, crc], [4, bounded(size)], [4, bounded(size)]),
      packed([2, name.length], [2, extra.length]),
      name,
      extra,
    ])
  }

  /** 4.3.12. */
  #directoryHeader({ name, crc, start, size }: Entry): Buffer {
    const extra = zip64Extra([size, size, start].filter((value) => value >= max32))
    return Buffer.concat([
      packed([4, 0x02014b50], [2, madeBy], ...this.#common(extra), [4, crc]),
      packed([4, bounded(size)], [4, bounded(size)], [2, name.length], [2, extra.length]),
      // No comment, the first disk, nothing said of what is inside.
      packed([2, 0], [2, 0], [2, 0], [4, attributes], [4, bounded(start)]),
      name,
      extra,
    ])
  }

  #common(extra: Buffer): Field[] {
    const needed = extra.length > 0 ? neededFor.zip64 : neededFor.stored
    return [
      [2, needed],
      [2, flags],
      [2, method.stored],
      [4, this.#time],
    ]
  }

  async #finish(): Promise<void> {
    const start = this.#end
    await this.#append(Buffer.concat(this.#entries.map((entry) => this.#directoryHeader(entry))))
    const size = this.#end - start
    const count = this.#entries.length
    if (count >= max16 || size >= max32 || start >= max32) await this.#finishZip64(count, size, start)
    const counted = Math.min(count, max16)
    // 4.3.16.
    await this.#append(
      packed(
        ...([
          [4, 0x06054b50],
          [2, 0],
          [2, 0],
          [2, counted],
          [2, counted],
        ] as const),
        ...([
          [4, bounded(size)],
          [4, bounded(start)],
          [2, 0],
        ] as const),
      ),
    )
  }

  /** 4.3.14 and 4.3.15. */
  async #finishZip64(count: number, size: number, start: number): Promise<void> {
    const at = this.#end
    await this.#append(
      packed(
        ...([
          [4, 0x06064b50],
          [8, 44],
          [2, madeBy],
          [2, neededFor.zip64],
          [4, 0],
          [4, 0],
        ] as const),
        ...([
          [8, count],
          [8, count],
          [8, size],
          [8, start],
        ] as const),
        ...([
          [4, 0x07064b50],
          [4, 0],
          [8, at],
          [4, 1],
        ] as const),
      ),
    )
  }
}

type Field = readonly [bytes: 2 | 4 | 8, value: number]

function packed(...fields: readonly Field[]): Buffer {
  const bytes = Buffer.alloc(fields.reduce((sum, [length]) => sum + length, 0))
  let at = 0
  for (const [length, value] of fields) {
    if (length === 8) bytes.writeBigUInt64LE(BigInt(value), at)
    else bytes.writeUIntLE(value, at, length)
    at += length
  }
  return bytes
}

/** 4.4.8: what does not fit stands in the ZIP64 field. */
const bounded = (value: number) => Math.min(value, max32)

/** 4.5.3. */
function zip64Extra(values: readonly number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0)
  return packed([2, 1], [2, values.length * 8], ...values.map((value) => [8, value] as const))
}

/** 4.4.6: two seconds at a time, in UTC. */
function dosTime(date: Date): number {
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()
  return day * 2 ** 16 + time
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at)
    at += bytesWritten
  }
}
