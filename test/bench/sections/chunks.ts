import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { pdf } from '../../../lib/engines/pdf.ts'
import { calculateOverheadPercent, reportChunkTimes } from '../chunk-model.ts'
import type { FixtureName } from '../fixture-makers.ts'
import { type ChunkedConversion, measureInChunks } from '../in-chunks.ts'
import type { Section } from '../section.ts'

interface Case extends Omit<ChunkedConversion, 'path' | 'pool'> {
  readonly title: string
  readonly what: string
  readonly file: FixtureName
  /** Allowed growth of the result in per cent. */
  readonly maxGrowthPercent: number
}

const cases: readonly Case[] = [
  {
    title: 'A minute of 720p → MP4, encoded',
    what: 'video',
    file: 'minute.mkv',
    maxGrowthPercent: 3,
    engine: ffmpeg,
    to: 'mp4',
    options: { mode: 'encode' },
  },
  {
    title: 'A scan of 40 pages → PDF with text',
    what: 'scan',
    file: 'forty-scans.pdf',
    maxGrowthPercent: 1,
    engine: pdf,
    operation: 'ocr-pdf',
    to: 'pdf',
    options: {},
  },
  {
    title: '50 pages → JPG at 600 dpi',
    what: 'pages',
    file: 'fifty-pages.pdf',
    maxGrowthPercent: 1,
    engine: pdf,
    to: 'jpg',
    options: { dpi: 600 },
  },
]

/** A large pool, so that the file is split as on AWS, where each chunk gets its own function. */
const pool = { workers: 300, timeoutS: 840 }

/** Measures splitting, chunks and joining, and calculates the time with more workers than this machine has. */
export const chunks: Section = {
  name: 'parts',
  about:
    'a video and long PDFs in one run and in chunks: the overhead of chunks, and the time with many workers',
  async run({ report, fixtures }) {
    for (const { title, what, file, maxGrowthPercent: maxLarger, ...conversion } of cases) {
      report.title(title)
      const { path } = await fixtures.get(file)
      const result = await measureInChunks(
        { ...conversion, path, pool },
        await fixtures.folder(`parts-${what}`),
      )
      reportChunkTimes(what, result, report)
      const { bytes } = result
      const remark = `${bytes.parts} bytes, in one run ${bytes.whole}`
      report.figure({
        what: 'processor time, more',
        value: calculateOverheadPercent(result),
        unit: '%',
        aim: { most: 10 },
      })
      const largerPercent = 100 * (bytes.parts / bytes.whole - 1)
      report.figure({ what: 'size, more', value: largerPercent, unit: '%', aim: { most: maxLarger }, remark })
    }
  },
}
