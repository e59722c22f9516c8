import { ascii, corruptFileError, type OpenedFile, view } from './byte-source.ts'

const maxBoxes = 10_000

/** ISO 14496-12: boxes of length and type, one after the other, that end where the file ends. */
export async function checkBoxes(file: OpenedFile, needed: readonly string[]): Promise<void> {
  const kind = 'an MP4 or a file of its kind'
  const seen = new Set<string>()
  let start = 0
  for (let count = 0; count < maxBoxes && start + 8 <= file.size; count++) {
    const head = view(await file.read(start, start + 16))
    const type = ascii(new Uint8Array(head.buffer, head.byteOffset, 8), 4, 8)
    const length = boxLength(head, file.size - start)
    if (length < 8) break
    if (start + length > file.size)
      throw corruptFileError(kind, 'it is cut off: a part is longer than the file')
    seen.add(type)
    start += length
  }
  if (needed.some((type) => seen.has(type))) return
  throw corruptFileError(
    kind,
    'the part that describes its content is missing, as after a recording or transfer that stopped',
  )
}

function boxLength(head: DataView, rest: number): number {
  const short = head.getUint32(0)
  if (short === 0) return rest
  if (short !== 1) return short
  return head.byteLength < 16 ? rest + 1 : Number(head.getBigUint64(8))
}

/** A RIFF file is at least as long as it says; a stream that could not know says 0 or all ones. */
export function checkRiff(file: OpenedFile, kind: string): void {
  const isLittle = ascii(file.head, 0, 4) !== 'RIFX'
  const length = view(file.head).getUint32(4, isLittle)
  const unknown = length === 0 || length >= 0xffffff00 || ascii(file.head, 0, 4) === 'RF64'
  // A missing pad byte at the end harms nobody.
  if (!unknown && length + 8 > file.size + 1)
    throw corruptFileError(kind, 'it is cut off: it is shorter than it says')
}

/** The same with the other byte order: AIFF. */
export function checkForm(file: OpenedFile): void {
  if (view(file.head).getUint32(4) + 8 > file.size + 1) {
    throw corruptFileError('an AIFF', 'it is cut off: it is shorter than it says')
  }
}

/** RFC 8794: the segment after the header is as long as it says, or of unknown length. */
export async function checkMatroska(file: OpenedFile): Promise<void> {
  const header = variableInt(file.head, 4)
  if (!header) return
  const segment = 4 + header.bytes + header.value
  const head = await file.read(segment, segment + 12)
  if (ascii(head, 0, 4) !== '\x18\x53\x80\x67') return
  const length = variableInt(head, 4)
  if (!length || length.value === 2 ** (7 * length.bytes) - 1) return
  if (segment + 4 + length.bytes + length.value > file.size) {
    throw corruptFileError('a Matroska or WebM file', 'it is cut off: it is shorter than it says')
  }
}

function variableInt(bytes: Uint8Array, at: number): { value: number; bytes: number } | undefined {
  const first = bytes[at] ?? 0
  const width = Math.clz32(first) - 23
  if (width > 8 || at + width > bytes.length) return undefined
  let value = first & (0xff >> width)
  for (let index = 1; index < width; index++) value = value * 256 + (bytes[at + index] ?? 0)
  return { value, bytes: width }
}

/** RFC 3533: a page is at most 65,307 bytes, so that one begins in the last 64 KiB. */
export function checkOgg(file: OpenedFile): void {
  if (!ascii(file.tail).includes('OggS')) throw corruptFileError('an Ogg file', 'its last part is no Ogg')
}
