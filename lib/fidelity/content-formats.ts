import type { FormatId } from '../formats/index.ts'

interface ContentFormats {
  readonly formats: readonly FormatId[]
  /**
   * `marked`: some markup may count as words. `vague`: so much markup counts that the number of words is meaningless.
   */
  readonly wordCertainty?: 'marked' | 'vague'
}

/** Formats whose whole content is read to count it, grouped by reader. */
const contentFormats = {
  word: { formats: ['docx', 'docm', 'dotx', 'dotm'] },
  openDocument: {
    formats: ['odt', 'ott', 'fodt', 'sxw', 'odp', 'otp', 'fodp', 'sxi', 'odg', 'otg', 'fodg'],
  },
  excel: { formats: ['xlsx', 'xlsm', 'xltx', 'xltm'] },
  openSpreadsheet: { formats: ['ods', 'ots', 'fods', 'sxc'] },
  powerPoint: { formats: ['pptx', 'pptm', 'ppsx', 'potx', 'potm'] },
  powerPoint97: { formats: ['ppt', 'pps', 'pot', 'dps'] },
  word97: { formats: ['doc', 'dot', 'wps'], wordCertainty: 'marked' },
  excel97: { formats: ['xls', 'xlt', 'et'] },
  excelBinary: { formats: ['xlsb'] },
  iWork: { formats: ['pages', 'numbers', 'key'], wordCertainty: 'marked' },
  richText: { formats: ['rtf'] },
  pdf: { formats: ['pdf'] },
  html: { formats: ['html', 'xhtml'] },
  outlook: { formats: ['msg'] },
  documentXml: { formats: ['dbk', 'jats', 'tei', 'xml'], wordCertainty: 'marked' },
  storyXml: { formats: ['icml'], wordCertainty: 'vague' },
  plainText: { formats: ['txt'] },
  markdown: { formats: ['md', 'mmd', 'markua'], wordCertainty: 'marked' },
  likeMarkdown: { formats: ['t2t', 'muse', 'haddock'], wordCertainty: 'vague' },
  restructuredText: { formats: ['rst'], wordCertainty: 'marked' },
  asciiDoc: { formats: ['adoc'], wordCertainty: 'marked' },
  org: { formats: ['org'], wordCertainty: 'marked' },
  mediaWiki: { formats: ['wiki'], wordCertainty: 'marked' },
  tex: { formats: ['tex', 'ctx', 'texi'], wordCertainty: 'vague' },
  roff: { formats: ['man', 'ms'], wordCertainty: 'vague' },
  likeMediaWiki: {
    formats: ['dokuwiki', 'jira', 'creole', 'tikiwiki', 'twiki', 'vimwiki', 'xwiki', 'zimwiki', 'textile'],
    wordCertainty: 'vague',
  },
  notebook: { formats: ['ipynb'], wordCertainty: 'marked' },
  opml: { formats: ['opml'], wordCertainty: 'marked' },
  commaSeparated: { formats: ['csv'] },
  tabSeparated: { formats: ['tsv'] },
  subRip: { formats: ['srt', 'vtt'] },
  subStationAlpha: { formats: ['ass', 'ssa'] },
  timedText: { formats: ['ttml'] },
  sami: { formats: ['smi'], wordCertainty: 'marked' },
  lyrics: { formats: ['lrc'] },
  microDvd: { formats: ['sub'] },
  mpl2: { formats: ['mpl2'] },
  epub: { formats: ['epub'] },
  fictionBook: { formats: ['fb2', 'fbz'] },
  zippedText: { formats: ['htmlz', 'txtz'] },
  palmEbook: { formats: ['mobi', 'azw3', 'azw', 'pdb'] },
  type1: { formats: ['pfb', 'pfa'] },
  type42: { formats: ['t42'] },
  compactFont: { formats: ['cff'] },
  woff: { formats: ['woff'] },
  woff2: { formats: ['woff2'] },
  glyphBitmaps: { formats: ['bdf'] },
  splineFont: { formats: ['sfd'] },
  svgFont: { formats: ['svg-font'] },
  compressedTar: { formats: ['tgz'] },
  zstandardTar: { formats: ['tzst'] },
} as const satisfies Readonly<Record<string, ContentFormats>>

export type ContentReaderName = keyof typeof contentFormats

const rows = Object.entries(contentFormats) as readonly [ContentReaderName, ContentFormats][] // keys of a const table

const readerByFormat: ReadonlyMap<FormatId, readonly [ContentReaderName, ContentFormats]> = new Map(
  rows.flatMap((row) => row[1].formats.map((format) => [format, row] as const)),
)

/** Returns the reader that counts the content of a format; undefined for formats whose whole content is never read. */
export const getContentReader = (format: FormatId): ContentReaderName | undefined =>
  readerByFormat.get(format)?.[0]

export const getWordCertainty = (format: FormatId): 'exact' | 'marked' | 'vague' =>
  readerByFormat.get(format)?.[1].wordCertainty ?? 'exact'
