import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

/**
 * Writes the audio of one MP3 after the tags of another. ffmpeg would copy the frames but replace the first one, which
 * tells players how much silence the encoder added.
 * @param tagSourcePath file with the ID3v2 tag; undefined for no tag
 */
export async function joinTagsAndAudio(
  tagSourcePath: string | undefined,
  sourcePath: string,
  targetPath: string,
): Promise<void> {
  const [start, end] = await findAudioRange(sourcePath)
  const output = createWriteStream(targetPath)
  if (tagSourcePath !== undefined) {
    const [tagEnd] = await findAudioRange(tagSourcePath)
    if (tagEnd > 0)
      await pipeline(createReadStream(tagSourcePath, { end: tagEnd - 1 }), output, { end: false })
  }
  await pipeline(createReadStream(sourcePath, { start, end: end - 1 }), output)
}

/** Returns where the frames begin and end: after ID3v2 tags and before APEv2 and ID3v1 tags. */
export async function findAudioRange(path: string): Promise<[start: number, end: number]> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    let start = 0
    for (let tagLength = 1; tagLength > 0 && start < size; start += tagLength)
      tagLength = await readId3v2TagLength(file, start)
    let end = size
    if ((await readBytes(file, end - 128, 3)).toString('latin1') === 'TAG') end -= 128
    end -= await readApeTagLength(file, end)
    return end > start ? [start, end] : [0, size]
  } finally {
    await file.close()
  }
}

/**
 * Returns the length of the tag including header and footer. The size has seven bits per byte (id3.org,
 * id3v2.4.0-structure 3.1).
 */
async function readId3v2TagLength(file: FileHandle, at: number): Promise<number> {
  const header = await readBytes(file, at, 10)
  if (header.toString('latin1', 0, 3) !== 'ID3') return 0
  const size = header.subarray(6).reduce((sum, byte) => (sum << 7) | (byte & 0x7f), 0)
  const hasFooter = ((header[5] ?? 0) & 0x10) !== 0
  return size + (hasFooter ? 20 : 10)
}

/** Returns the length of an APEv2 tag. The length in its footer does not include the header, which is optional. */
async function readApeTagLength(file: FileHandle, end: number): Promise<number> {
  const footer = await readBytes(file, end - 32, 32)
  if (footer.toString('latin1', 0, 8) !== 'APETAGEX') return 0
  const hasHeader = footer.readUInt32LE(20) >>> 31 === 1
  return footer.readUInt32LE(12) + (hasHeader ? 32 : 0)
}

/** Returns zeros for positions outside of the file. */
async function readBytes(file: FileHandle, at: number, count: number): Promise<Buffer> {
  const bytes = Buffer.alloc(count)
  if (at >= 0) await file.read(bytes, 0, count, at)
  return bytes
}
