import { createCompressedTarReader } from './archives.ts'
import type { FileBytes } from './bytes.ts'
import type { ContentReaderName } from './content-formats.ts'
import type { ContentSummary } from './content-summary.ts'
import { readCompactFont, readType1, readType42 } from './fonts/font-containers.ts'
import { createGlyphCounter, readWoff, readWoff2 } from './fonts/fonts.ts'
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
import { readFictionBook, readZippedText, summarizeEpub } from './text/ebooks.ts'
import { readNotebook } from './text/notebook.ts'
import { readOpml } from './text/opml.ts'
import { readOutlook } from './text/outlook.ts'
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

export interface ContentRequest extends TextEncodingHint {
  readonly reader: ContentReaderName
  readonly isResult: boolean
}

type Reader = (
  bytes: FileBytes,
  isResult: boolean,
  hint: TextEncodingHint,
) => Promise<ContentSummary | undefined>

/** Elements for search and indexing, which are not part of the text. */
const nonPrintedElements = ['keywordset', 'subjectset', 'indexterm', 'kwd-group']

/** Readers that count the content of files, independent of the engines. */
const readers: Readonly<Record<ContentReaderName, Reader>> = {
  word: readDocx,
  openDocument: readOpenDocument,
  excel: readXlsx,
  openSpreadsheet: readOpenSpreadsheet,
  powerPoint: readPresentation,
  powerPoint97: readPpt,
  word97: readDoc,
  excel97: readXls,
  excelBinary: readXlsb,
  iWork: readIWork,
  richText: readRichText,
  pdf: readPdf,
  html: readHtml,
  outlook: readOutlook,
  documentXml: createXmlReader(...nonPrintedElements),
  storyXml: createXmlReader(),
  plainText: readPlainText,
  markdown: createMarkupReader('md'),
  likeMarkdown: createMarkupReader('md'),
  restructuredText: createMarkupReader('rst'),
  asciiDoc: createMarkupReader('adoc'),
  org: createMarkupReader('org'),
  mediaWiki: createMarkupReader('wiki'),
  tex: createMarkupReader('tex'),
  roff: createMarkupReader('roff'),
  likeMediaWiki: createMarkupReader('wiki'),
  notebook: readNotebook,
  opml: readOpml,
  commaSeparated: createTableReader('csv'),
  tabSeparated: createTableReader('tsv'),
  subRip: createSubtitleReader('arrow'),
  subStationAlpha: createSubtitleReader('dialogue'),
  timedText: createSubtitleReader('paragraph'),
  sami: createSubtitleReader('sync'),
  lyrics: createSubtitleReader('stamp'),
  microDvd: createSubtitleReader('frames'),
  mpl2: createSubtitleReader('deciseconds'),
  epub: summarizeEpub,
  fictionBook: readFictionBook,
  zippedText: readZippedText,
  palmEbook: readPalmEbook,
  type1: readType1,
  type42: readType42,
  compactFont: readCompactFont,
  woff: readWoff,
  woff2: readWoff2,
  glyphBitmaps: createGlyphCounter(/^STARTCHAR /gm),
  splineFont: createGlyphCounter(/^StartChar:/gm),
  svgFont: createGlyphCounter(/<(?:missing-)?glyph[\s/>]/g),
  compressedTar: createCompressedTarReader('gz'),
  zstandardTar: createCompressedTarReader('zst'),
}

/** Counts the content of a file. @throws CountingStoppedError, or an error for which `isUnreadable` is true. */
export async function readContent(
  bytes: FileBytes,
  { reader, isResult, ...hint }: ContentRequest,
): Promise<ContentSummary | undefined> {
  const summary = await readers[reader](bytes, isResult, hint)
  const hasText = (summary?.words?.total ?? 0) > 0
  return summary && hasText ? { ...summary, features: [...summary.features, 'selectableText'] } : summary
}
