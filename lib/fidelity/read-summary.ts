import { readHeader } from '../engines/ffmpeg/read-header.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import {
  countArEntries,
  countCabEntries,
  countComicPages,
  countCpioEntries,
  countTarEntries,
  countZipEntries,
  createCompressedTarReader,
} from './archives.ts'
import { FileBytes } from './bytes.ts'
import type { ContentSummary } from './content-summary.ts'
import {
  readCompactFont,
  readEmbeddedOpenType,
  readFontCollection,
  readMacFont,
  readType1,
  readType42,
  readUnifiedFontObject,
} from './fonts/font-containers.ts'
import { createGlyphCounter, readOpenType, readWoff, readWoff2 } from './fonts/fonts.ts'
import { readAiff, readFlac, readMp3, readOgg, readWav } from './media/audio.ts'
import { readGif, readPng, readTiff, readWebp, summarizeSingleImage } from './media/images.ts'
import {
  readAc3,
  readAdts,
  readAmr,
  readAu,
  readCoreAudio,
  readTrueAudio,
  readWave64,
  readWavPack,
} from './media/raw-audio.ts'
import { readAvi, readFlashVideo, readWindowsMedia } from './media/video.ts'
import { readDoc } from './office/doc.ts'
import { readIWork } from './office/iwork.ts'
import { readPpt } from './office/ppt.ts'
import { readPresentation } from './office/presentation.ts'
import { readDocx, readOpenDocument } from './office/word-processing.ts'
import { readXls } from './office/xls.ts'
import { readXlsb } from './office/xlsb.ts'
import { readOpenSpreadsheet, readXlsx } from './office/xlsx.ts'
import { readPdf } from './pdf/pdf.ts'
import type { TextEncodingHint } from './text/decode-text.ts'
import { readEpub, readFictionBook, readZippedText } from './text/ebooks.ts'
import { readNotebook } from './text/notebook.ts'
import { readOpml } from './text/opml.ts'
import { readPalmEbook } from './text/palm-ebooks.ts'
import {
  createMarkupReader,
  createSubtitleReader,
  createTableReader,
  createXmlReader,
  readHtml,
  readPlainText,
} from './text/plain-text.ts'
import { readRichText } from './text/rich-text.ts'
import { openZip } from './zip.ts'

type Reader = (
  bytes: FileBytes,
  isResult: boolean,
  hint: TextEncodingHint,
) => Promise<ContentSummary | undefined>

interface FormatReader {
  readonly formats: readonly FormatId[]
  readonly read: Reader
  /** `marked`: some markup may be counted as words; `vague`: so much that the number of words is meaningless. */
  readonly wordCertainty?: 'marked' | 'vague'
}

/** Elements for search and indexing, which are not part of the text. */
const nonPrintedElements = ['keywordset', 'subjectset', 'indexterm', 'kwd-group']

/** Readers that count the content of files, independent of the engines. */
const readers: readonly FormatReader[] = [
  { formats: ['docx', 'docm', 'dotx', 'dotm'], read: readDocx },
  { formats: ['odt', 'ott', 'fodt', 'sxw', 'odp', 'otp', 'fodp', 'sxi'], read: readOpenDocument },
  { formats: ['odg', 'otg', 'fodg'], read: readOpenDocument },
  { formats: ['xlsx', 'xlsm', 'xltx', 'xltm'], read: readXlsx },
  { formats: ['ods', 'ots', 'fods', 'sxc'], read: readOpenSpreadsheet },
  { formats: ['pptx', 'pptm', 'ppsx', 'potx', 'potm'], read: readPresentation },
  { formats: ['ppt', 'pps', 'pot', 'dps'], read: readPpt },
  { formats: ['doc', 'dot', 'wps'], read: readDoc, wordCertainty: 'marked' },
  { formats: ['xls', 'xlt', 'et'], read: readXls },
  { formats: ['xlsb'], read: readXlsb },
  { formats: ['pages', 'numbers', 'key'], read: readIWork, wordCertainty: 'marked' },
  { formats: ['rtf'], read: readRichText },
  { formats: ['pdf'], read: readPdf },
  { formats: ['html', 'xhtml'], read: readHtml },
  {
    formats: ['dbk', 'jats', 'tei', 'xml'],
    read: createXmlReader(...nonPrintedElements),
    wordCertainty: 'marked',
  },
  { formats: ['icml'], read: createXmlReader(), wordCertainty: 'vague' },
  { formats: ['txt'], read: readPlainText },
  { formats: ['md', 'mmd', 'markua'], read: createMarkupReader('md'), wordCertainty: 'marked' },
  { formats: ['t2t', 'muse', 'haddock'], read: createMarkupReader('md'), wordCertainty: 'vague' },
  { formats: ['rst'], read: createMarkupReader('rst'), wordCertainty: 'marked' },
  { formats: ['adoc'], read: createMarkupReader('adoc'), wordCertainty: 'marked' },
  { formats: ['org'], read: createMarkupReader('org'), wordCertainty: 'marked' },
  { formats: ['wiki'], read: createMarkupReader('wiki'), wordCertainty: 'marked' },
  { formats: ['tex', 'ctx', 'texi'], read: createMarkupReader('tex'), wordCertainty: 'vague' },
  { formats: ['man', 'ms'], read: createMarkupReader('roff'), wordCertainty: 'vague' },
  {
    formats: ['dokuwiki', 'jira', 'creole', 'tikiwiki', 'twiki', 'vimwiki', 'xwiki', 'zimwiki', 'textile'],
    read: createMarkupReader('wiki'),
    wordCertainty: 'vague',
  },
  { formats: ['ipynb'], read: readNotebook, wordCertainty: 'marked' },
  { formats: ['opml'], read: readOpml, wordCertainty: 'marked' },
  { formats: ['csv'], read: createTableReader('csv') },
  { formats: ['tsv'], read: createTableReader('tsv') },
  { formats: ['srt', 'vtt'], read: createSubtitleReader('arrow') },
  { formats: ['ass', 'ssa'], read: createSubtitleReader('dialogue') },
  { formats: ['ttml'], read: createSubtitleReader('paragraph') },
  { formats: ['smi'], read: createSubtitleReader('sync'), wordCertainty: 'marked' },
  { formats: ['lrc'], read: createSubtitleReader('stamp') },
  { formats: ['sub'], read: createSubtitleReader('frames') },
  { formats: ['mpl2'], read: createSubtitleReader('deciseconds') },
  { formats: ['epub'], read: readEpub },
  { formats: ['fb2', 'fbz'], read: readFictionBook },
  { formats: ['htmlz', 'txtz'], read: readZippedText },
  { formats: ['mobi', 'azw3', 'azw', 'pdb'], read: readPalmEbook },
  { formats: ['cbz'], read: countComicPages },
  { formats: ['wav'], read: readWav },
  { formats: ['aiff', 'aif', 'aifc'], read: readAiff },
  { formats: ['flac'], read: readFlac },
  { formats: ['ogg', 'oga', 'opus'], read: readOgg },
  { formats: ['mp3'], read: readMp3 },
  { formats: ['ac3'], read: readAc3 },
  { formats: ['aac'], read: readAdts },
  { formats: ['amr', 'awb'], read: readAmr },
  { formats: ['au', 'snd'], read: readAu },
  { formats: ['w64'], read: readWave64 },
  { formats: ['caf'], read: readCoreAudio },
  { formats: ['wv'], read: readWavPack },
  { formats: ['tta'], read: readTrueAudio },
  { formats: ['avi', 'divx', 'xvid'], read: readAvi },
  { formats: ['wmv', 'wma', 'asf'], read: readWindowsMedia },
  { formats: ['flv'], read: readFlashVideo },
  { formats: ['gif'], read: readGif },
  { formats: ['webp'], read: readWebp },
  { formats: ['png', 'apng'], read: readPng },
  {
    formats: ['jpg', 'bmp', 'bmp2', 'bmp3', 'hdr', 'pcx', 'ppm', 'pgm', 'pbm', 'pnm', 'xbm', 'ras'],
    read: summarizeSingleImage,
  },
  { formats: ['tiff'], read: readTiff },
  { formats: ['ttf', 'otf'], read: readOpenType },
  { formats: ['woff'], read: readWoff },
  { formats: ['woff2'], read: readWoff2 },
  { formats: ['ttc'], read: readFontCollection },
  { formats: ['dfont'], read: readMacFont },
  { formats: ['eot'], read: readEmbeddedOpenType },
  { formats: ['pfb', 'pfa'], read: readType1 },
  { formats: ['t42'], read: readType42 },
  { formats: ['cff'], read: readCompactFont },
  { formats: ['ufo'], read: readUnifiedFontObject },
  { formats: ['bdf'], read: createGlyphCounter(/^STARTCHAR /gm) },
  { formats: ['sfd'], read: createGlyphCounter(/^StartChar:/gm) },
  { formats: ['svg-font'], read: createGlyphCounter(/<(?:missing-)?glyph[\s/>]/g) },
  { formats: ['zip', 'jar'], read: countZipEntries },
  { formats: ['tar'], read: countTarEntries },
  { formats: ['tgz'], read: createCompressedTarReader('gz') },
  { formats: ['tzst'], read: createCompressedTarReader('zst') },
  { formats: ['cpio'], read: countCpioEntries },
  { formats: ['cab'], read: countCabEntries },
  { formats: ['ar', 'deb'], read: countArEntries },
]

const byFormat: ReadonlyMap<FormatId, FormatReader> = new Map(
  readers.flatMap((row) => row.formats.map((format) => [format, row] as const)),
)

export const wordCertaintyOf = (format: FormatId): 'exact' | 'marked' | 'vague' =>
  byFormat.get(format)?.wordCertainty ?? 'exact'

/** Summarizes a file; undefined if that is not possible, for example if it is damaged or too large. */
export async function readSummary(
  path: string,
  format: FormatId,
  { isResult, ...hint }: TextEncodingHint & { readonly isResult: boolean },
): Promise<ContentSummary | undefined> {
  const { category } = formatById(format)
  const read = byFormat.get(format)?.read
  try {
    if (read) {
      await using bytes = await FileBytes.open(path)
      const summary = await read(bytes, isResult, hint)
      const hasText = (summary?.words?.total ?? 0) > 0
      return summary && hasText ? { ...summary, features: [...summary.features, 'selectableText'] } : summary
    }
    return category === 'video' || category === 'audio' ? await readMediaSummary(path, format) : undefined
  } catch (error) {
    // Offsets outside the file, and streams that zlib cannot decompress: an engine may still read the file.
    if (error instanceof RangeError || isZlibError(error)) return undefined
    throw error
  }
}

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(?:Z_|ERR_)/.test(String(error.code))

async function readMediaSummary(path: string, format: FormatId): Promise<ContentSummary | undefined> {
  const header = await readHeader(path, format)
  if (!header) return undefined
  const { durationS, video, audio } = header.media
  const frames = video?.nb_read_packets
  const audioDurations = video ? audio.flatMap(({ duration }) => duration ?? []) : []
  return {
    // Channels are omitted: an MP4 header always says two.
    counts: frames === undefined ? {} : { frames },
    ...(durationS !== undefined && { seconds: durationS }),
    ...(audioDurations.length > 0 &&
      audioDurations.length === audio.length && { soundSeconds: Math.max(...audioDurations) }),
    features: [...(video ? (['film'] as const) : []), ...(audio.length > 0 ? (['sound'] as const) : [])],
  }
}

/** Counts the pages that were returned as a ZIP of files. */
export async function countPagesInZip(path: string, format: FormatId): Promise<ContentSummary | undefined> {
  const { extensions } = formatById(format)
  await using bytes = await FileBytes.open(path)
  const zip = await openZip(bytes)
  const pages = zip?.names.filter((name) =>
    extensions.some((extension) => name.toLowerCase().endsWith(`.${extension}`)),
  )
  return pages && { counts: { pages: pages.length }, features: [] }
}
