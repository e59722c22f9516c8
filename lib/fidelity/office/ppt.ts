import { CompoundFile } from '../../binary/cfb.ts'
import { type FileBytes, maxReadBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'
import { WordCounts } from '../text/word-counts.ts'

/** Types of the records that are read ([MS-PPT] 2.13.24). */
const types = {
  document: 0x03e8,
  slide: 0x03ee,
  userEdit: 0x0ff5,
  slideList: 0x0ff0,
  slidePersist: 0x03f3,
  utf16Text: 0x0fa0,
  latin1Text: 0x0fa8,
} as const
const headerBytes = 8

interface PptRecord {
  readonly type: number
  readonly instance: number
  readonly isContainer: boolean
  readonly data: Buffer
}

function* readRecords(data: Buffer): Generator<PptRecord> {
  for (let at = 0; at + headerBytes <= data.length; ) {
    const head = data.readUInt16LE(at)
    const end = at + headerBytes + data.readUInt32LE(at + 4)
    yield {
      type: data.readUInt16LE(at + 2),
      instance: head >> 4,
      isContainer: (head & 15) === 15,
      data: data.subarray(at + headerBytes, end),
    }
    at = end
  }
}

/** Summarizes PowerPoint 97 to 2003: words of the outline and of shapes, without masters and notes. */
export async function readPpt(file: FileBytes): Promise<ContentSummary | undefined> {
  const stream = await (await CompoundFile.open(file, maxReadBytes)).read('PowerPoint Document')
  if (!stream) return undefined
  const words = new WordCounts()
  let slides = 0
  let editCount = 0
  const read = (container: Buffer, depth: number): void => {
    for (const { type, isContainer, data } of readRecords(container)) {
      if (type === types.utf16Text) words.add(data.toString('utf16le'))
      else if (type === types.latin1Text) words.add(data.toString('latin1'))
      else if (type === types.slidePersist) slides++
      else if (isContainer && depth < 20) read(data, depth + 1)
    }
  }
  for (const { type, data } of readRecords(stream)) {
    if (type === types.slide) read(data, 0)
    if (type === types.userEdit) editCount++
    if (type !== types.document) continue
    for (const list of readRecords(data))
      if (list.type === types.slideList && list.instance === 0) read(list.data, 0)
  }
  // A file that was fast-saved still contains earlier versions, and an encrypted one shows no slides.
  return editCount > 1 || slides === 0 ? undefined : { words, counts: { slides }, features: [] }
}
