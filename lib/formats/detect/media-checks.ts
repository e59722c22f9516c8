import { type EbmlElement, readEbmlElement } from '../../binary/ebml.ts'
import { DamagedFileError, FileLimitError, TruncatedFileError } from '../../binary/errors.ts'
import { readMp4Boxes } from '../../binary/mp4.ts'
import { readRiffForm } from '../../binary/riff.ts'
import { createCorruptFileError, decodeAscii, type OpenedFile } from './byte-source.ts'

/** Maximum number of boxes, each of which may take a read. A fragmented video has one or two for each second. */
const maxBoxes = 4000

/** Checks that the boxes fit into the file (ISO 14496-12) and include one of the required types. */
export async function checkBoxes(file: OpenedFile, neededBoxes: readonly string[]): Promise<void> {
  const kind = 'an MP4 or similar file'
  const seenBoxes = new Set<string>()
  try {
    for await (const { type } of readMp4Boxes(file, maxBoxes)) seenBoxes.add(type)
  } catch (error) {
    if (error instanceof TruncatedFileError) throw createCorruptFileError(kind, error.message)
    // Bytes after the boxes are ignored, as in other programs.
    if (!(error instanceof DamagedFileError || error instanceof FileLimitError)) throw error
  }
  if (neededBoxes.some((type) => seenBoxes.has(type))) return
  throw createCorruptFileError(
    kind,
    'the box that describes its content is missing, as after an interrupted recording or transfer',
  )
}

/** Checks that a RIFF or IFF file is as long as its header says. */
export async function checkForm(file: OpenedFile, kind: string): Promise<void> {
  const form = await readRiffForm(file)
  if (!form) return
  // A RIFF stream of unknown length has a size of 0 or all ones; the size of RF64 is in a chunk.
  const isUnknown = form.id !== 'FORM' && (form.size === 0 || form.size >= 0xffffff00 || form.id === 'RF64')
  // A missing padding byte at the end is harmless.
  if (!isUnknown && form.size + 8 > file.size + 1)
    throw createCorruptFileError(kind, 'it is cut off: it is shorter than its header says')
}

const matroskaSegment = 0x18538067

/** Checks that the segment after the header (RFC 9559) is as long as it says, unless its length is unknown. */
export async function checkMatroska(file: OpenedFile): Promise<void> {
  const segment = await findSegment(file)
  if (segment?.id === matroskaSegment && Number.isFinite(segment.end) && segment.end > file.size) {
    throw createCorruptFileError(
      'a Matroska or WebM file',
      'it is cut off: it is shorter than its header says',
    )
  }
}

async function findSegment(file: OpenedFile): Promise<EbmlElement | undefined> {
  try {
    const header = await readEbmlElement(file, 0)
    return await readEbmlElement(file, header.end)
  } catch (error) {
    // Programs skip to the next element that they can read.
    if (error instanceof DamagedFileError) return undefined
    throw error
  }
}

/** Checks that a page starts in the last 64 KiB: pages have at most 65,307 bytes (RFC 3533). */
export function checkOgg(file: OpenedFile): void {
  if (!decodeAscii(file.tail).includes('OggS'))
    throw createCorruptFileError('an Ogg file', 'its last 64 KiB contain no Ogg page')
}
