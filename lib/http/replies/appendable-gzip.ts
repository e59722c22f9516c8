import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, deflateRawSync, inflateRaw } from 'node:zlib'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** RFC 1952, 2.3: deflate, no name, no modification time, unknown operating system. */
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])

/** Compressed content to which a tail can be appended without compressing the content again. */
export class AppendableGzip {
  readonly #blocks: Buffer
  readonly #crc: number
  readonly #length: number

  private constructor(blocks: Buffer, crc: number, length: number) {
    this.#blocks = blocks
    this.#crc = crc
    this.#length = length
  }

  static async compress(content: Buffer): Promise<AppendableGzip> {
    // A full flush ends on a byte boundary without a final block, so that further blocks can follow.
    const blocks = await deflate(content, { finishFlush: constants.Z_FULL_FLUSH })
    return new AppendableGzip(Buffer.from(blocks), crc32(content), content.length)
  }

  /** Returns one gzip member with content and tail, because not every decoder reads past the first member. */
  gzip(tail: Buffer): Buffer {
    const trailer = Buffer.alloc(8)
    trailer.writeUInt32LE(crc32(tail, this.#crc), 0)
    trailer.writeUInt32LE(this.#length + tail.length, 4)
    return Buffer.concat([gzipHeader, this.#blocks, deflateRawSync(tail), trailer])
  }

  async decompressAndAppend(tail: Buffer): Promise<Buffer> {
    return Buffer.concat([await inflate(this.#blocks, { finishFlush: constants.Z_SYNC_FLUSH }), tail])
  }
}
