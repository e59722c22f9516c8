import { type FormatId, formatById } from '../formats/index.ts'
import { createRetention, type Fidelity, type Retention, type Unit } from '../model/fidelity.ts'
import type { Operation } from '../model/operations.ts'
import type { Feature } from '../model/stored-summary.ts'
import { getWordCertainty } from './content-formats.ts'
import type { ContentSummary } from './content-summary.ts'
import { canRepresent, keepsComments } from './format-features.ts'
import { WordCounts } from './text/word-counts.ts'

interface Comparison {
  readonly operation: Operation
  readonly from: FormatId
  readonly to: FormatId
  readonly options: Readonly<Record<string, unknown>>
  readonly source: ContentSummary
  readonly result: ContentSummary
  /** Codes of the warnings that the engine already reported. */
  readonly warningCodes: readonly string[]
}

/** What a result has retained of its source, and what was lost. */
export interface ComparisonResult {
  readonly fidelity: Fidelity
  readonly lostUnits: readonly Unit[]
  /** Whether the result contains none of the source's images. */
  readonly lacksImages: boolean
  /** Whether the result contains nothing of the source's content. */
  readonly isEmpty: boolean
}

/** Operations that should retain all content. */
export const contentPreservingOperations: readonly Operation[] = [
  'convert',
  'merge',
  'merge-pdf',
  'compress',
  'compress-pdf',
  'ocr-pdf',
  'archive',
  'split-pdf',
  'rotate-pdf',
  'reorder-pdf-pages',
  'to-pdfa',
  'flatten-pdf',
  'linearize-pdf',
  'add-page-numbers-pdf',
  'add-watermark-pdf',
  'watermark',
  'edit-pdf-metadata',
  'grayscale-pdf',
]

/** Options that request only part of the content. */
const partialOptions = ['pages', 'pageRange', 'start', 'end', 'page', 'sheet', 'removeLinks']

/** Units whose loss is explained by a warning of the engine. */
const unitsByWarning: Readonly<Record<string, readonly Unit[]>> = {
  SHEETS_DROPPED: ['words', 'sheets', 'cells'],
  HIDDEN_DROPPED: ['words', 'sheets', 'cells'],
  PAGES_DROPPED: ['words', 'pages', 'slides'],
  TEXT_MAY_BE_MISSING: ['words'],
  NO_TEXT: ['words'],
  // OCR replaces images of pages with their text.
  OCR_USED: ['images'],
  OCR_UNCERTAIN: ['images'],
  TABLES_ONLY: ['words'],
  ANIMATION_DROPPED: ['frames'],
  FACES_DROPPED: ['glyphs'],
  ATTACHMENTS_DROPPED: ['entries'],
  LINKS_DROPPED: ['entries'],
  DUPLICATES_DROPPED: ['entries'],
}

/** Minimum share of each unit that must be retained; below it, content was lost. */
const minShare: Readonly<Partial<Record<Unit, number>>> = {
  words: 0.95,
  order: 0.5,
  pages: 1,
  slides: 1,
  sheets: 1,
  cues: 1,
  seconds: 0.97,
  glyphs: 0.98,
  entries: 1,
  checkedFields: 1,
}
/** Minimum share of words if one of the formats is markup, in which some of the counted words are not text. */
const minShareInMarkup = 0.85
/** Differences that are ignored: programs split a few words differently, and durations are rounded. */
const toleranceByUnit: Readonly<Partial<Record<Unit, number>>> = { words: 3, seconds: 0.3 }
/**
 * Maximum number of missing words that are ignored if the result contains only words of the source. A word that was
 * only split differently would add other words to the result.
 */
const maxMissingWords = 1
/** Minimum share for short texts, where a few words are a large part. */
const minShareOfShortText = { exact: 0.8, marked: 0.5 }
/** Formats whose words are counted in the order of the text. */
const orderedFormats: readonly FormatId[] = [
  ...(['docx', 'docm', 'odt', 'fodt', 'rtf', 'html', 'xhtml', 'txt', 'md', 'epub', 'pdf'] as const),
]
/** Conversions between these formats copy the text unchanged, so every missing word is a loss. */
const exactTextFormats = {
  from: ['txt', 'csv', 'tsv', 'srt'],
  to: ['txt', 'csv', 'tsv', 'srt', 'vtt', 'html', 'md'],
} as const satisfies Readonly<Record<'from' | 'to', readonly FormatId[]>>

const isIn = (formats: readonly FormatId[], format: FormatId) => formats.includes(format)

/** Compares a result with its source: how much was retained, and whether that is enough. This is a pure function. */
export function compare(comparison: Comparison): ComparisonResult {
  const comparedContent = toVisibleContent(comparison)
  const { from, to, options, warningCodes } = comparedContent
  const measures = measureUnits(comparedContent)
  const isPartial = partialOptions.some((name) => options[name] !== undefined && options[name] !== '')
  const isExactText = isIn(exactTextFormats.from, from) && isIn(exactTextFormats.to, to)
  const isVisibleOnly = comparedContent !== comparison
  const excusedUnits = warningCodes
    .flatMap((code) => unitsByWarning[code] ?? [])
    .filter((unit) => unit !== 'words' || !isVisibleOnly)
    .concat(listMeaninglessUnits(from, measures))
  const lostUnits = Object.entries(measures).flatMap(([name, measure]) => {
    const unit = name as Unit // keys of `measures`
    // Some markup languages write accented letters as markup.
    const isMarkupText =
      unit === 'words' && (getWordCertainty(from) !== 'exact' || getWordCertainty(to) === 'vague')
    const minimum = isMarkupText ? minShareInMarkup : minShare[unit]
    if (minimum === undefined || isPartial || excusedUnits.includes(unit)) return []
    const missingCount = measure.source - measure.result
    const isLoss =
      measure.share < minimum &&
      missingCount > chooseTolerance(unit, isMarkupText ? {} : comparedContent.result, measure)
    const isLossOfShortText =
      unit === 'words' && measure.share < minShareOfShortText[isMarkupText ? 'marked' : 'exact']
    return isLoss || isLossOfShortText || (unit === 'words' && missingCount > 0 && isExactText) ? [unit] : []
  })
  return {
    fidelity: { ...measures, dropped: listDroppedFeatures(comparedContent) },
    lostUnits,
    lacksImages:
      !isPartial &&
      !excusedUnits.includes('images') &&
      measures.images?.result === 0 &&
      canRepresent.pictures(to, from),
    isEmpty: !isPartial && isEmptyResult(comparedContent),
  }
}

function listMeaninglessUnits(from: FormatId, { fields }: Partial<Record<Unit, Retention>>): readonly Unit[] {
  return [
    // The pages of a PDF may draw their text in any order.
    ...(from === 'pdf' ? (['order'] as const) : []),
    // Check boxes that became characters are no longer fields.
    ...(fields?.share === 1 ? [] : (['checkedFields'] as const)),
  ]
}

function chooseTolerance(unit: Unit, { words }: Pick<ContentSummary, 'words'>, measure: Retention): number {
  const ignoredDifference = toleranceByUnit[unit] ?? 0
  if (unit !== 'words' || !words) return ignoredDifference
  const otherWords = words.total - measure.result
  return otherWords > 0 ? ignoredDifference : Math.min(ignoredDifference, maxMissingWords)
}

/** Returns only the visible content if a warning explains that hidden content was dropped. */
function toVisibleContent(comparedContent: Comparison): Comparison {
  const { source, warningCodes } = comparedContent
  const [firstCode, ...otherCodes] = warningCodes.filter((code) => unitsByWarning[code]?.includes('words'))
  const isOnlyHidden = firstCode === 'HIDDEN_DROPPED' && otherCodes.every((code) => code === firstCode)
  return source.visibleWords && isOnlyHidden
    ? { ...comparedContent, source: { ...source, words: source.visibleWords } }
    : comparedContent
}

/** Elements that count as retained or lost only if the source contains some. */
const documentElements = ['images', 'imageArea', 'links', 'tables', 'fields', 'checkedFields'] as const

function measureUnits({ source, result, from, to }: Comparison): Partial<Record<Unit, Retention>> {
  const units = ['pages', 'sheets', 'cells', 'cues', 'frames', 'glyphs', 'entries', 'channels'] as const
  const elements = documentElements.filter((unit) => source.counts[unit] !== 0)
  const countedUnits = [...units, ...elements].flatMap((unit) => {
    const [countBefore, countAfter] = [source.counts[unit], result.counts[unit]]
    return countBefore === undefined || countAfter === undefined
      ? []
      : [[unit, createRetention(countBefore, countAfter)] as const]
  })
  const order =
    isIn(orderedFormats, from) && isIn(orderedFormats, to) && result.words
      ? source.words?.compareOrder(result.words)
      : undefined
  const shownSlides = result.counts.slides ?? result.counts.pages
  const { slides } = source.counts
  return {
    ...(source.words &&
      result.words &&
      getWordCertainty(from) !== 'vague' && {
        words: measureWords(
          source.words,
          repeatMargins(result.words, result.marginWords, source.counts.pages),
        ),
      }),
    ...(order && { order: createRetention(order.comparable, order.shared) }),
    ...Object.fromEntries(countedUnits),
    ...(slides !== undefined &&
      shownSlides !== undefined && { slides: createRetention(slides, shownSlides) }),
    ...(formatById(to).category === 'image' ? {} : measureDuration(limitToTarget(source, to), result)),
  }
}

/** Repeats headers and footers, which a document contains once, for each page of the PDF. */
function repeatMargins(words: WordCounts, marginWords: WordCounts | undefined, pages = 0): WordCounts {
  if (!marginWords || pages === 0) return words
  const allWords = new WordCounts()
  allWords.addAll(words)
  allWords.addAll(marginWords, pages)
  return allWords
}

const measureWords = (source: WordCounts, result: WordCounts) =>
  createRetention(source.total, source.countSharedWith(result))

/** Limits the source's content to what the target can contain: in an audio file, only the audio of a video. */
const limitToTarget = (source: ContentSummary, to: FormatId): ContentSummary =>
  formatById(to).category === 'audio' && source.soundSeconds !== undefined
    ? { ...source, seconds: source.soundSeconds }
    : source

/** Compares samples by duration, because a different sample rate changes their number. */
function measureDuration(source: ContentSummary, result: ContentSummary): Partial<Record<Unit, Retention>> {
  if (source.seconds === undefined || result.seconds === undefined) return {}
  const seconds = createRetention(roundToMs(source.seconds), roundToMs(result.seconds))
  const [samplesBefore, samplesAfter] = [source.counts.samples, result.counts.samples]
  return {
    seconds,
    ...(samplesBefore !== undefined &&
      samplesAfter !== undefined && {
        samples: { source: samplesBefore, result: samplesAfter, share: seconds.share },
      }),
  }
}

const roundToMs = (seconds: number) => Math.round(seconds * 1000) / 1000

/** A markup file with fewer words than this may consist only of markup. */
const maxMarkupWords = 20

function isEmptyResult({ source, result, from }: Comparison): boolean {
  const isSilent = result.counts.samples === 0 && (source.counts.samples ?? source.seconds ?? 0) > 0
  const { words } = source
  const isBlank = words !== undefined && words.total > 0 && result.words?.isEmpty === true
  return isSilent || (isBlank && (words.total > maxMarkupWords || getWordCertainty(from) === 'exact'))
}

/**
 * Returns the features that a step could retain and a later step may drop, even if they are not detected in the result
 * of the step. Comments that became part of the text are excluded: their words are counted.
 */
export const listRetainedFeatures = ({ source, result, from, to }: ConvertedPair): readonly Feature[] =>
  source.features.filter((feature) => {
    const isInText = feature === 'comments' && !keepsComments(to) && result?.words !== undefined
    return !isInText && canRepresent[feature](to, from)
  })

type ConvertedPair = Pick<Comparison, 'source' | 'from' | 'to'> & Partial<Pick<Comparison, 'result'>>

/** Minimum share of the comments' words in the result for the comments to count as retained. */
const minCommentShare = 0.5

/** Whether the result contains the comments of the source; undefined if that is unknown. */
function hasComments({ source: { words, commentWords }, result }: ConvertedPair): boolean | undefined {
  if (!words || !commentWords || !result?.words) return undefined
  const allWords = new WordCounts()
  allWords.addAll(words)
  allWords.addAll(commentWords)
  const foundCount = allWords.countSharedWith(result.words) - words.countSharedWith(result.words)
  return foundCount >= minCommentShare * commentWords.total
}

/**
 * Lists the features of the source that the result lacks. @param convertedPair without `result` if the result cannot be
 * read.
 */
export function listDroppedFeatures(convertedPair: ConvertedPair): string[] {
  const { source, result, from, to } = convertedPair
  const droppedNames: string[] = source.features.filter((feature) => {
    const isFound = feature === 'comments' && !keepsComments(to) ? hasComments(convertedPair) : undefined
    return !(isFound ?? canRepresent[feature](to, from))
  })
  const channels = result?.counts.channels
  if (channels !== undefined && channels < (source.counts.channels ?? 0)) droppedNames.push('channels')
  return droppedNames
}
