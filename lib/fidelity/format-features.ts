import { type FormatId, formatById } from '../formats/index.ts'
import { type Feature, features } from '../model/stored-summary.ts'
import { getWordCertainty } from './content-formats.ts'

/** Whether a format is plain text or a table in plain text. */
const isText = (to: FormatId) => ['txt', 'csv', 'tsv'].includes(to)
const documentFormats: readonly FormatId[] = [
  'docx',
  'docm',
  'odt',
  'fodt',
  'ott',
  'dotx',
  'dotm',
  'doc',
  'rtf',
]
const spreadsheetFormats: readonly FormatId[] = [
  'xlsx',
  'xlsm',
  'xltx',
  'xltm',
  'xls',
  'xlt',
  'ods',
  'ots',
  'fods',
  'xlsb',
]
const presentationFormats: readonly FormatId[] = [
  'pptx',
  'pptm',
  'ppsx',
  'potx',
  'potm',
  'odp',
  'otp',
  'fodp',
  'ppt',
  'pps',
]
const opaqueFormats: readonly FormatId[] = ['jpg', 'bmp', 'mp4', 'mov', 'avi', 'mkv']
const animatedFormats: readonly FormatId[] = ['gif', 'webp', 'apng', 'avif', 'mng', 'jxl']

/** Formats whose text receives the comments of a Word document as notes. */
const keepsCommentsAsNotes = (to: FormatId) =>
  ['md', 'txt'].includes(to) || formatById(to).category === 'ebook' || getWordCertainty(to) !== 'exact'
export const keepsComments = (to: FormatId) =>
  [...documentFormats, ...spreadsheetFormats, ...presentationFormats].includes(to)

/** For each feature, whether a format can represent it in a result. */
export const canRepresent: Readonly<Record<Feature, (to: FormatId, from: FormatId) => boolean>> = {
  pictures: (to) => !isText(to) && formatById(to).category !== 'audio',
  film: (to) => formatById(to).category !== 'audio',
  sound: (to) => formatById(to).category !== 'image',
  animation: (to) => animatedFormats.includes(to) || formatById(to).category === 'video',
  transparency: (to) => !opaqueFormats.includes(to),
  formulas: (to) => spreadsheetFormats.includes(to),
  equations: (to) => !isText(to) && !spreadsheetFormats.includes(to),
  comments: (to, from) => keepsComments(to) || (from === 'docx' && keepsCommentsAsNotes(to)),
  notes: (to) => presentationFormats.includes(to),
  margins: (to) => documentFormats.includes(to) || to === 'pdf' || formatById(to).category === 'image',
  changes: (to) => documentFormats.includes(to),
  // Office programs also write hidden text to HTML, where it stays invisible, and warn about it.
  hiddenText: (to) => documentFormats.includes(to) || to === 'html',
  selectableText: (to) => formatById(to).category !== 'image' || to === 'svg',
}

/** For each feature, whether files of a format can contain it. */
const canContain: Readonly<Record<Feature, (from: FormatId) => boolean>> = {
  pictures: (from) => ['document', 'ebook'].includes(formatById(from).category) && !isText(from),
  film: (from) => formatById(from).category === 'video',
  sound: (from) => formatById(from).category === 'video',
  animation: (from) => animatedFormats.includes(from),
  transparency: (from) => formatById(from).category === 'image' && !opaqueFormats.includes(from),
  formulas: (from) => spreadsheetFormats.includes(from),
  equations: (from) => documentFormats.includes(from),
  comments: keepsComments,
  notes: (from) => presentationFormats.includes(from),
  margins: (from) => [...documentFormats, ...spreadsheetFormats, ...presentationFormats].includes(from),
  changes: (from) => documentFormats.includes(from),
  hiddenText: (from) => documentFormats.includes(from),
  selectableText: (from) => ['document', 'ebook'].includes(formatById(from).category),
}

/** Returns the features that a file of a format can contain and a step of the route cannot represent. */
export const listLossyFeatures = (from: FormatId, route: readonly FormatId[]): readonly Feature[] =>
  features.filter(
    (feature) => canContain[feature](from) && route.some((to) => !canRepresent[feature](to, from)),
  )
