import { readHeader } from '../engines/ffmpeg/read-header.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import {
  arEntries,
  cabinetEntries,
  comicPages,
  cpioEntries,
  packedTar,
  tarEntries,
  zipEntries,
} from './archives.ts'
import { aiff, flac, mp3, ogg, wav } from './audio.ts'
import { FileBytes } from './bytes.ts'
import type { Holding } from './content-summary.ts'
import type { Asked } from './decode-text.ts'
import { word97 } from './doc.ts'
import { epub, fictionBook, zippedText } from './ebooks.ts'
import { collection, compact, embedded, fontObject, macFont, type1, type42 } from './font-containers.ts'
import { glyphMarks, openType, woff, woff2 } from './fonts.ts'
import { gif, png, still, tiff, webp } from './images.ts'
import { iWork } from './iwork.ts'
import { notebook } from './notebook.ts'
import { outline } from './outline.ts'
import { palmBook } from './palm-ebooks.ts'
import { pdf } from './pdf.ts'
import { markedText, page, plainText, subtitles, table, xmlText } from './plain-text.ts'
import { slides97 } from './ppt.ts'
import { presentation } from './presentation.ts'
import { ac3, adts, amr, au, coreAudio, trueAudio, wave64, wavPack } from './raw-audio.ts'
import { richText } from './rich-text.ts'
import { avi, flashVideo, windowsMedia } from './video.ts'
import { openDocument, wordDocument } from './word-processing.ts'
import { openWorkbook, workbook } from './workbook.ts'
import { workbook97 } from './xls.ts'
import { binaryWorkbook } from './xlsb.ts'
import { openZip } from './zip.ts'

type Reader = (bytes: FileBytes, isResult: boolean, asked: Asked) => Promise<Holding | undefined>

interface Readers {
  readonly formats: readonly FormatId[]
  readonly read: Reader
  /** `marked`: some marks of the language read like words; `vague`: so many do that their number says nothing. */
  readonly wordsAre?: 'marked' | 'vague'
}

/** For search and an index that readers of XML leave to the book. */
const notPrinted = ['keywordset', 'subjectset', 'indexterm', 'kwd-group']

/** Who counts what a file holds. None of them is an engine. */
const readers: readonly Readers[] = [
  { formats: ['docx', 'docm', 'dotx', 'dotm'], read: wordDocument },
  { formats: ['odt', 'ott', 'fodt', 'sxw', 'odp', 'otp', 'fodp', 'sxi'], read: openDocument },
  { formats: ['odg', 'otg', 'fodg'], read: openDocument },
  { formats: ['xlsx', 'xlsm', 'xltx', 'xltm'], read: workbook },
  { formats: ['ods', 'ots', 'fods', 'sxc'], read: openWorkbook },
  { formats: ['pptx', 'pptm', 'ppsx', 'potx', 'potm'], read: presentation },
  { formats: ['ppt', 'pps', 'pot', 'dps'], read: slides97 },
  { formats: ['doc', 'dot', 'wps'], read: word97, wordsAre: 'marked' },
  { formats: ['xls', 'xlt', 'et'], read: workbook97 },
  { formats: ['xlsb'], read: binaryWorkbook },
  { formats: ['pages', 'numbers', 'key'], read: iWork, wordsAre: 'marked' },
  { formats: ['rtf'], read: richText },
  { formats: ['pdf'], read: pdf },
  { formats: ['html', 'xhtml'], read: page },
  { formats: ['dbk', 'jats', 'tei', 'xml'], read: xmlText(...notPrinted), wordsAre: 'marked' },
  { formats: ['icml'], read: xmlText(), wordsAre: 'vague' },
  { formats: ['txt'], read: plainText },
  { formats: ['md', 'mmd', 'markua'], read: markedText('md'), wordsAre: 'marked' },
  { formats: ['t2t', 'muse', 'haddock'], read: markedText('md'), wordsAre: 'vague' },
  { formats: ['rst'], read: markedText('rst'), wordsAre: 'marked' },
  { formats: ['adoc'], read: markedText('adoc'), wordsAre: 'marked' },
  { formats: ['org'], read: markedText('org'), wordsAre: 'marked' },
  { formats: ['wiki'], read: markedText('wiki'), wordsAre: 'marked' },
  { formats: ['tex', 'ctx', 'texi'], read: markedText('tex'), wordsAre: 'vague' },
  { formats: ['man', 'ms'], read: markedText('roff'), wordsAre: 'vague' },
  {
    formats: ['dokuwiki', 'jira', 'creole', 'tikiwiki', 'twiki', 'vimwiki', 'xwiki', 'zimwiki', 'textile'],
    read: markedText('wiki'),
    wordsAre: 'vague',
  },
  { formats: ['ipynb'], read: notebook, wordsAre: 'marked' },
  { formats: ['opml'], read: outline, wordsAre: 'marked' },
  { formats: ['csv'], read: table('csv') },
  { formats: ['tsv'], read: table('tsv') },
  { formats: ['srt', 'vtt'], read: subtitles('arrow') },
  { formats: ['ass', 'ssa'], read: subtitles('dialogue') },
  { formats: ['ttml'], read: subtitles('paragraph') },
  { formats: ['smi'], read: subtitles('sync'), wordsAre: 'marked' },
  { formats: ['lrc'], read: subtitles('stamp') },
  { formats: ['sub'], read: subtitles('frames') },
  { formats: ['mpl2'], read: subtitles('deciseconds') },
  { formats: ['epub'], read: epub },
  { formats: ['fb2', 'fbz'], read: fictionBook },
  { formats: ['htmlz', 'txtz'], read: zippedText },
  { formats: ['mobi', 'azw3', 'azw', 'pdb'], read: palmBook },
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
    read: still,
  },
  { formats: ['tiff'], read: tiff },
  { formats: ['ttf', 'otf'], read: openType },
  { formats: ['woff'], read: woff },
  { formats: ['woff2'], read: woff2 },
  { formats: ['ttc'], read: collection },
  { formats: ['dfont'], read: macFont },
  { formats: ['eot'], read: embedded },
  { formats: ['pfb', 'pfa'], read: type1 },
  { formats: ['t42'], read: type42 },
  { formats: ['cff'], read: compact },
  { formats: ['ufo'], read: fontObject },
  { formats: ['bdf'], read: glyphMarks(/^STARTCHAR /gm) },
  { formats: ['sfd'], read: glyphMarks(/^StartChar:/gm) },
  { formats: ['svg-font'], read: glyphMarks(/<(?:missing-)?glyph[\s/>]/g) },
  { formats: ['zip', 'jar'], read: zipEntries },
  { formats: ['tar'], read: tarEntries },
  { formats: ['tgz'], read: packedTar('gz') },
  { formats: ['tzst'], read: packedTar('zst') },
  { formats: ['cpio'], read: cpioEntries },
  { formats: ['cab'], read: cabinetEntries },
  { formats: ['ar', 'deb'], read: arEntries },
]

const byFormat: ReadonlyMap<FormatId, Readers> = new Map(
  readers.flatMap((row) => row.formats.map((format) => [format, row] as const)),
)

export const certaintyOf = (format: FormatId): 'exact' | 'marked' | 'vague' =>
  byFormat.get(format)?.wordsAre ?? 'exact'

/** What is in a file; undefined where nobody here can tell, as of one that is damaged or too large to be looked into. */
export async function holdingOf(
  path: string,
  format: FormatId,
  { isResult, ...asked }: Asked & { readonly isResult: boolean },
): Promise<Holding | undefined> {
  const { category } = formatById(format)
  const read = byFormat.get(format)?.read
  try {
    if (read) {
      await using bytes = await FileBytes.open(path)
      const holding = await read(bytes, isResult, asked)
      const hasText = (holding?.words?.total ?? 0) > 0
      return holding && hasText ? { ...holding, features: [...holding.features, 'selectableText'] } : holding
    }
    return category === 'video' || category === 'audio' ? await mediaOf(path, format) : undefined
  } catch (error) {
    // Numbers that lead out of the file, and streams that zlib cannot unpack: engines may know more.
    if (error instanceof RangeError || isZlibError(error)) return undefined
    throw error
  }
}

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(?:Z_|ERR_)/.test(String(error.code))

async function mediaOf(path: string, format: FormatId): Promise<Holding | undefined> {
  const header = await readHeader(path, format)
  if (!header) return undefined
  const { durationS, video, audio } = header.media
  const frames = video?.nb_read_packets
  const sounds = video ? audio.flatMap(({ duration }) => duration ?? []) : []
  return {
    // Of channels an MP4 tells two, whatever its codec says.
    counts: frames === undefined ? {} : { frames },
    ...(durationS !== undefined && { seconds: durationS }),
    ...(sounds.length > 0 && sounds.length === audio.length && { soundSeconds: Math.max(...sounds) }),
    features: [...(video ? (['film'] as const) : []), ...(audio.length > 0 ? (['sound'] as const) : [])],
  }
}

/** Pages that came as a ZIP of files, or files of one. */
export async function pagesInZip(path: string, format: FormatId): Promise<Holding | undefined> {
  const { extensions } = formatById(format)
  await using bytes = await FileBytes.open(path)
  const zip = await openZip(bytes)
  const pages = zip?.names.filter((name) => extensions.some((end) => name.toLowerCase().endsWith(`.${end}`)))
  return pages && { counts: { pages: pages.length }, features: [] }
}
