import { readHeader } from '../engines/ffmpeg/read-header.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import {
  arEntries,
  cabinetEntries,
  comicPages,
  compressedTarEntries,
  cpioEntries,
  tarEntries,
  zipEntries,
} from './archives.ts'
import { aiff, flac, mp3, ogg, wav } from './audio.ts'
import { FileBytes } from './bytes.ts'
import type { ContentSummary } from './content-summary.ts'
import type { TextEncodingHint } from './decode-text.ts'
import { readDoc } from './doc.ts'
import { epub, fictionBook, zippedText } from './ebooks.ts'
import {
  compactFont,
  embeddedOpenType,
  fontCollection,
  macFont,
  type1,
  type42,
  unifiedFontObject,
} from './font-containers.ts'
import { countGlyphs, openType, woff, woff2 } from './fonts.ts'
import { gif, png, singleImage, tiff, webp } from './images.ts'
import { iWork } from './iwork.ts'
import { notebook } from './notebook.ts'
import { opmlText } from './opml.ts'
import { palmEbook } from './palm-ebooks.ts'
import { pdfContent } from './pdf.ts'
import { delimitedTable, htmlPage, markupLanguage, plainText, subtitles, xmlDocument } from './plain-text.ts'
import { readPpt } from './ppt.ts'
import { presentation } from './presentation.ts'
import { ac3, adts, amr, au, coreAudio, trueAudio, wave64, wavPack } from './raw-audio.ts'
import { richText } from './rich-text.ts'
import { avi, flashVideo, windowsMedia } from './video.ts'
import { readDocx, readOpenDocument } from './word-processing.ts'
import { readXls } from './xls.ts'
import { readXlsb } from './xlsb.ts'
import { readOpenSpreadsheet, readXlsx } from './xlsx.ts'
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
  { formats: ['pptx', 'pptm', 'ppsx', 'potx', 'potm'], read: presentation },
  { formats: ['ppt', 'pps', 'pot', 'dps'], read: readPpt },
  { formats: ['doc', 'dot', 'wps'], read: readDoc, wordCertainty: 'marked' },
  { formats: ['xls', 'xlt', 'et'], read: readXls },
  { formats: ['xlsb'], read: readXlsb },
  { formats: ['pages', 'numbers', 'key'], read: iWork, wordCertainty: 'marked' },
  { formats: ['rtf'], read: richText },
  { formats: ['pdf'], read: pdfContent },
  { formats: ['html', 'xhtml'], read: htmlPage },
  {
    formats: ['dbk', 'jats', 'tei', 'xml'],
    read: xmlDocument(...nonPrintedElements),
    wordCertainty: 'marked',
  },
  { formats: ['icml'], read: xmlDocument(), wordCertainty: 'vague' },
  { formats: ['txt'], read: plainText },
  { formats: ['md', 'mmd', 'markua'], read: markupLanguage('md'), wordCertainty: 'marked' },
  { formats: ['t2t', 'muse', 'haddock'], read: markupLanguage('md'), wordCertainty: 'vague' },
  { formats: ['rst'], read: markupLanguage('rst'), wordCertainty: 'marked' },
  { formats: ['adoc'], read: markupLanguage('adoc'), wordCertainty: 'marked' },
  { formats: ['org'], read: markupLanguage('org'), wordCertainty: 'marked' },
  { formats: ['wiki'], read: markupLanguage('wiki'), wordCertainty: 'marked' },
  { formats: ['tex', 'ctx', 'texi'], read: markupLanguage('tex'), wordCertainty: 'vague' },
  { formats: ['man', 'ms'], read: markupLanguage('roff'), wordCertainty: 'vague' },
  {
    formats: ['dokuwiki', 'jira', 'creole', 'tikiwiki', 'twiki', 'vimwiki', 'xwiki', 'zimwiki', 'textile'],
    read: markupLanguage('wiki'),
    wordCertainty: 'vague',
  },
  { formats: ['ipynb'], read: notebook, wordCertainty: 'marked' },
  { formats: ['opml'], read: opmlText, wordCertainty: 'marked' },
  { formats: ['csv'], read: delimitedTable('csv') },
  { formats: ['tsv'], read: delimitedTable('tsv') },
  { formats: ['srt', 'vtt'], read: subtitles('arrow') },
  { formats: ['ass', 'ssa'], read: subtitles('dialogue') },
  { formats: ['ttml'], read: subtitles('paragraph') },
  { formats: ['smi'], read: subtitles('sync'), wordCertainty: 'marked' },
  { formats: ['lrc'], read: subtitles('stamp') },
  { formats: ['sub'], read: subtitles('frames') },
  { formats: ['mpl2'], read: subtitles('deciseconds') },
  { formats: ['epub'], read: epub },
  { formats: ['fb2', 'fbz'], read: fictionBook },
  { formats: ['htmlz', 'txtz'], read: zippedText },
  { formats: ['mobi', 'azw3', 'azw', 'pdb'], read: palmEbook },
  { formats: ['cbz'], read: comicPages },
  { formats: ['wav'], read: wav },
  { formats: ['aiff', 'aif', 'aifc'], read: aiff },
  { formats: ['flac'], read: flac },
  { formats: ['ogg', 'oga', 'opus'], read: ogg },
  { formats: ['mp3'], read: mp3 },
  { formats: ['ac3'], read: ac3 },
  { formats: ['aac'], read: adts },
  { formats: ['amr', 'awb'], read: amr },
  { formats: ['au', 'snd'], read: au },
  { formats: ['w64'], read: wave64 },
  { formats: ['caf'], read: coreAudio },
  { formats: ['wv'], read: wavPack },
  { formats: ['tta'], read: trueAudio },
  { formats: ['avi', 'divx', 'xvid'], read: avi },
  { formats: ['wmv', 'wma', 'asf'], read: windowsMedia },
  { formats: ['flv'], read: flashVideo },
  { formats: ['gif'], read: gif },
  { formats: ['webp'], read: webp },
  { formats: ['png', 'apng'], read: png },
  {
    formats: ['jpg', 'bmp', 'bmp2', 'bmp3', 'hdr', 'pcx', 'ppm', 'pgm', 'pbm', 'pnm', 'xbm', 'ras'],
    read: singleImage,
  },
  { formats: ['tiff'], read: tiff },
  { formats: ['ttf', 'otf'], read: openType },
  { formats: ['woff'], read: woff },
  { formats: ['woff2'], read: woff2 },
  { formats: ['ttc'], read: fontCollection },
  { formats: ['dfont'], read: macFont },
  { formats: ['eot'], read: embeddedOpenType },
  { formats: ['pfb', 'pfa'], read: type1 },
  { formats: ['t42'], read: type42 },
  { formats: ['cff'], read: compactFont },
  { formats: ['ufo'], read: unifiedFontObject },
  { formats: ['bdf'], read: countGlyphs(/^STARTCHAR /gm) },
  { formats: ['sfd'], read: countGlyphs(/^StartChar:/gm) },
  { formats: ['svg-font'], read: countGlyphs(/<(?:missing-)?glyph[\s/>]/g) },
  { formats: ['zip', 'jar'], read: zipEntries },
  { formats: ['tar'], read: tarEntries },
  { formats: ['tgz'], read: compressedTarEntries('gz') },
  { formats: ['tzst'], read: compressedTarEntries('zst') },
  { formats: ['cpio'], read: cpioEntries },
  { formats: ['cab'], read: cabinetEntries },
  { formats: ['ar', 'deb'], read: arEntries },
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
export async function pagesInZip(path: string, format: FormatId): Promise<ContentSummary | undefined> {
  const { extensions } = formatById(format)
  await using bytes = await FileBytes.open(path)
  const zip = await openZip(bytes)
  const pages = zip?.names.filter((name) => extensions.some((end) => name.toLowerCase().endsWith(`.${end}`)))
  return pages && { counts: { pages: pages.length }, features: [] }
}
