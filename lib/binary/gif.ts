/** Kinds of the blocks of a GIF (GIF89a, section 12 and appendix A), by their first byte. */
export const gifBlockKinds = { padding: 0, extension: 0x21, image: 0x2c, trailer: 0x3b } as const

export interface GifBlock {
  /** One of `gifBlockKinds`. Any other number is damage, after which nothing can be read. */
  readonly kind: number
  readonly start: number
  /** Offset of the sub-blocks of data: each is a length followed by that many bytes; a length of 0 ends them. */
  readonly data: number
}

const headerBytes = 13
const imageDescriptorBytes = 10
const extensionHeaderBytes = 2

/** Yields the blocks up to the trailer, damage or the end of the file. */
export function* readGifBlocks(file: Buffer): Generator<GifBlock> {
  for (let at = headerBytes + computeColorTableBytes(file[10]); at < file.length; ) {
    const kind = file[at] ?? 0
    const data = at + findDataOffset(file, at, kind)
    yield { kind, start: at, data }
    if (kind === gifBlockKinds.padding) at++
    else if (kind === gifBlockKinds.extension || kind === gifBlockKinds.image) at = skipSubBlocks(file, data)
    else return
  }
}

/** Returns the offset of the data. In an image, the minimum code size precedes the pixels (section 22). */
const findDataOffset = (file: Buffer, at: number, kind: number) =>
  kind === gifBlockKinds.image
    ? imageDescriptorBytes + computeColorTableBytes(file[at + 9]) + 1
    : extensionHeaderBytes

const computeColorTableBytes = (flags = 0) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))

function skipSubBlocks(file: Buffer, start: number): number {
  let at = start
  while ((file[at] ?? 0) > 0) at += (file[at] ?? 0) + 1
  return at + 1
}
