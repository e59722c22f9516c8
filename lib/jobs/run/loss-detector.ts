import { countPagesInZip, readSummary } from '../../decoders/read-summary.ts'
import type { EngineResult, InputFile, OutputFile, Shortfall } from '../../engines/engine.ts'
import { AppError } from '../../errors.ts'
import {
  type ComparisonResult,
  compare,
  contentPreservingOperations,
  listDroppedFeatures,
  listRetainedFeatures,
} from '../../fidelity/compare.ts'
import { type ContentSummary, combineSummaries } from '../../fidelity/content-summary.ts'
import { CountingStoppedError } from '../../fidelity/read-errors.ts'
import { WordCounts } from '../../fidelity/text/word-counts.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { Log } from '../../log.ts'
import { combineSequential, type Fidelity, type Unit } from '../../model/fidelity.ts'
import type { ConversionStep, Warning } from '../../model/job.ts'
import type { Operation } from '../../model/operations.ts'
import { StoredSummary } from '../../model/stored-summary.ts'
import type { WarningDetails } from '../../model/warning-details.ts'
import { defined } from '../../validation/defined.ts'

/** The result contains nothing of its source's content. A fallback route may retain the content. */
class ContentLostError extends AppError {
  constructor(from: FormatId, to: FormatId, content: string) {
    super(
      'CONVERSION_FAILED',
      `The ${from} contains ${content}, but the resulting ${to} contains none of it. Choose another target, or save the file again in the program that created it.`,
      { from, to, reason: 'content-lost' },
    )
  }
}

/** The fields of a step that the comparison uses. */
type CheckedStep = Pick<ConversionStep, 'operation' | 'from' | 'to' | 'options'>

/**
 * Delay before reading the source. Reading may block the thread that starts the engine; most engines start within this
 * delay.
 */
const readDelayMs = 40

/**
 * Compares the result of each step with its input. The source is read while the engine runs. Each result is read only
 * once, although it is also the input of the next step. The last result is read while it is being stored.
 */
export class LossDetector implements Disposable {
  readonly #log: Log
  /** Reads the source on the first call. */
  #readSource: () => Promise<ContentSummary | undefined> = async () => undefined
  #readTimer: NodeJS.Timeout | undefined
  /** Images of the step that need not be read, by path. */
  #images: ReadonlyMap<string, ContentSummary> = new Map()
  #fidelity: Fidelity | undefined
  #shortfall: Shortfall | undefined
  /**
   * Missing images are reported, but are no reason for another route, because most other routes keep less of the
   * layout.
   */
  readonly #imageWarnings: Warning[] = []
  /** Formats of files whose content was not counted completely. */
  readonly #stoppedFormats = new Set<FormatId>()
  readonly #disposal = new AbortController()
  /** Aborted with the step, or when the comparison is no longer needed. */
  readonly #signal: AbortSignal

  constructor(log: Log, signal?: AbortSignal) {
    this.#log = log
    const { signal: disposalSignal } = this.#disposal
    this.#signal = signal ? AbortSignal.any([disposalSignal, signal]) : disposalSignal
  }

  /** Fidelity of all steps so far. */
  get fidelity(): Fidelity | undefined {
    return this.#fidelity
  }

  get warnings(): Warning[] {
    return [...this.#imageWarnings, ...[...this.#stoppedFormats].map(createCountingStoppedWarning)]
  }

  /** The shortfall of the step that lost the most. */
  get shortfall(): Shortfall | undefined {
    return this.#shortfall
  }

  /** Starts reading the inputs. The options of the first step may contain their text encoding. */
  start(
    inputs: readonly Pick<InputFile, 'path' | 'format'>[],
    { operation, options }: Partial<Pick<CheckedStep, 'operation' | 'options'>> = {},
  ): void {
    // The content of archived files is not examined.
    if (operation === 'archive') {
      this.#setSource({ counts: { entries: inputs.length }, features: [] })
      return
    }
    const hint = {
      encoding: toOptionalString(options?.['encoding']),
      delimiter: toOptionalString(options?.['delimiter']),
    }
    const readInput = ({ path, format }: (typeof inputs)[number]) =>
      this.#images.get(path) ??
      this.#readSafely(format, (signal) => readSummary(path, format, { isResult: false, signal, ...hint }))
    let summaryPromise: Promise<ContentSummary | undefined> | undefined
    this.#readSource = () => (summaryPromise ??= readAll(inputs, readInput))
    clearTimeout(this.#readTimer)
    // Images are not read early, because the engine's process counts them and returns their summaries.
    if (inputs.some(({ format }) => formatById(format).category !== 'image'))
      this.#readTimer = setTimeout(this.#readSource, readDelayMs)
  }

  #setSource(source: ContentSummary | undefined): void {
    this.#readSource = async () => source
  }

  /** Stops a read whose result is no longer needed. */
  [Symbol.dispose](): void {
    clearTimeout(this.#readTimer)
    this.#disposal.abort()
  }

  /** Returns the summary that a task record stores while chunks do the work. */
  async getStoredSummary(): Promise<StoredSummary | undefined> {
    const source = await this.#readSource()
    // The words are not part of the stored summary.
    return source && StoredSummary.parse(source)
  }

  restoreSource({ seconds, soundSeconds, ...summary }: StoredSummary): void {
    const durations = {
      ...defined({ seconds, soundSeconds }),
    }
    this.#setSource({ ...summary, ...durations })
  }

  /**
   * Compares a step's result with its source.
   * @param result contains the number of archive members for archives that only the engine can read.
   * @throws ContentLostError
   */
  async checkStep(
    step: CheckedStep,
    {
      files,
      images = new Map(),
      memberCounts,
      hiddenText = '',
    }: Pick<EngineResult, 'files' | 'images' | 'memberCounts' | 'hiddenText'>,
    warnings: readonly Warning[],
  ): Promise<void> {
    this.#images = images
    // The engine was found by these formats, so they are in the registry.
    const [from, to] = [step.from as FormatId, step.to as FormatId]
    // An encrypted document could not be read, so the decrypted one becomes the source.
    if (step.operation === 'unlock') this.start(files.map(({ path }) => ({ path, format: to })))
    if (!contentPreservingOperations.includes(step.operation)) return
    const source =
      removeHiddenText(await this.#readSource(), hiddenText) ?? createEntrySummary(memberCounts?.source)
    if (source?.absentImages) this.#imageWarnings.push(createAbsentImagesWarning(source.absentImages, from))
    const resultSummary = await readAll(files, (file) => this.#readResult(file, step.operation, to))
    const result = resultSummary ?? createEntrySummary(memberCounts?.result)
    this.#setSource(result)
    if (!source || !result) {
      const uncountedFormats = [...(source ? [] : [from]), ...(result ? [] : [to])]
      const droppedFeatures = source ? listDroppedFeatures({ source, from, to }) : []
      this.#fidelity = combineSequential(this.#fidelity, {
        dropped: droppedFeatures,
        uncounted: uncountedFormats,
      })
      return
    }
    const features = new Set([...result.features, ...listRetainedFeatures({ source, result, from, to })])
    this.#setSource({ ...result, features: [...features] })
    const codes = warnings.map(({ code }) => code)
    const comparison = compare({ ...step, from, to, source, result, warningCodes: codes })
    this.#fidelity = combineSequential(this.#fidelity, comparison.fidelity)
    if (comparison.isEmpty) throw new ContentLostError(from, to, describeSource(comparison))
    if (comparison.lacksImages)
      this.#imageWarnings.push({
        code: 'CONTENT_LOST',
        message: describeLoss(comparison.fidelity, 'images', from, to),
        details: getLossDetails(comparison.fidelity, 'images'),
      })
    const shortfall = createShortfall(comparison, from, to)
    if (shortfall && shortfall.kept < (this.#shortfall?.kept ?? 1)) this.#shortfall = shortfall
  }

  /** Reads a result. Several pages are returned as a ZIP even if another format was requested. */
  async #readResult(
    file: OutputFile,
    operation: Operation,
    to: FormatId,
  ): Promise<ContentSummary | undefined> {
    const { path, format = to } = file
    const image = this.#images.get(path)
    if (image) return image
    const page = operation === 'split-pdf' ? 'pdf' : to
    const isZipOfPages = format === 'zip' && (page === 'pdf' || formatById(page).category === 'image')
    return this.#readSafely(format, (signal) =>
      isZipOfPages ? countPagesInZip(path, page) : readSummary(path, format, { isResult: true, signal }),
    )
  }

  /** A bug in counting must not fail the conversion. */
  async #readSafely(
    format: FormatId,
    read: (signal: AbortSignal) => Promise<ContentSummary | undefined>,
  ): Promise<ContentSummary | undefined> {
    const signal = this.#signal
    try {
      const summary = await read(signal)
      if (summary?.isIncomplete) this.#stoppedFormats.add(format)
      return summary
    } catch (error) {
      if (signal.aborted) return undefined
      if (error instanceof CountingStoppedError) {
        this.#stoppedFormats.add(format)
        this.#log.info({ format, reason: error.message }, 'stopped counting the content of a file')
      } else this.#log.error({ error }, 'counting the content of a file failed')
      return undefined
    }
  }
}

/** Reads files one after another, up to the first file whose content is unknown. */
async function readAll<File>(
  files: readonly File[],
  read: (file: File) => ContentSummary | Promise<ContentSummary | undefined>,
): Promise<ContentSummary | undefined> {
  const summaries: ContentSummary[] = []
  for (const file of files) {
    const summary = await read(file)
    if (!summary) return undefined
    summaries.push(summary)
  }
  return combineSummaries(summaries)
}

const createCountingStoppedWarning = (format: FormatId): Warning => ({
  code: 'COUNTING_STOPPED',
  message: `The content of the ${format} could not be counted completely, because that takes too much time or memory. Check whether anything is missing in the result.`,
})

const createAbsentImagesWarning = (count: number, from: FormatId): Warning => ({
  code: 'PICTURES_DROPPED',
  message:
    count === 1
      ? `The ${from} shows an image that is not in the file, so the result does not contain it.`
      : `The ${from} shows ${count} images that are not in the file, so the result does not contain them.`,
})

const toOptionalString = (option: unknown) => (typeof option === 'string' ? option : undefined)

/** Removes invisible text, which the engine drops on purpose, and reports it as a dropped feature. */
function removeHiddenText(
  source: ContentSummary | undefined,
  hiddenText: string,
): ContentSummary | undefined {
  if (hiddenText === '' || !source?.words) return source
  const hiddenWords = new WordCounts()
  hiddenWords.add(hiddenText)
  const words = source.words.subtract(hiddenWords)
  if (words.total === source.words.total) return source
  return { ...source, words, features: [...source.features, 'hiddenText'] }
}

const createEntrySummary = (entries: number | undefined): ContentSummary | undefined =>
  entries === undefined ? undefined : { counts: { entries }, features: [] }

const unitNames: Readonly<Record<Unit, readonly [one: string, many: string]>> = {
  words: ['word', 'words'],
  order: ['pair of adjacent words', 'pairs of adjacent words'],
  pages: ['page', 'pages'],
  slides: ['slide', 'slides'],
  sheets: ['sheet', 'sheets'],
  cells: ['filled cell', 'filled cells'],
  cues: ['subtitle', 'subtitles'],
  frames: ['frame', 'frames'],
  seconds: ['second', 'seconds'],
  samples: ['sample', 'samples'],
  channels: ['channel', 'channels'],
  glyphs: ['glyph', 'glyphs'],
  entries: ['file', 'files'],
  images: ['image', 'images'],
  imageArea: ['square point of images', 'square points of images'],
  links: ['link', 'links'],
  tables: ['table', 'tables'],
  fields: ['form field', 'form fields'],
  checkedFields: ['selected check box', 'selected check boxes'],
}

const formatCount = (count: number, unit: Unit) =>
  `${count.toLocaleString('en-US')} ${unitNames[unit][count === 1 ? 0 : 1]}`

function describeSource({ fidelity }: ComparisonResult): string {
  const { words, seconds } = fidelity
  if (words) return formatCount(words.source, 'words')
  return seconds ? `${formatCount(seconds.source, 'seconds')} of audio` : 'audio'
}

function createShortfall(
  { fidelity, lostUnits }: ComparisonResult,
  from: FormatId,
  to: FormatId,
): Shortfall | undefined {
  const getShare = (unit: Unit) => fidelity[unit]?.share ?? 1
  const [worstUnit] = lostUnits.filter((unit) => fidelity[unit]).toSorted((a, b) => getShare(a) - getShare(b))
  if (worstUnit === undefined) return undefined
  const message = lostUnits.map((unit) => describeLoss(fidelity, unit, from, to)).join(' ')
  const details = getLossDetails(fidelity, worstUnit)
  return { kept: getShare(worstUnit), warning: { code: 'CONTENT_LOST', message, details } }
}

function getLossDetails(fidelity: Fidelity, unit: Unit): WarningDetails {
  const { source = 0, result = 0, share = 0 } = fidelity[unit] ?? {}
  return { unit, total: source, kept: result, share }
}

function describeLoss(fidelity: Fidelity, unit: Unit, from: FormatId, to: FormatId): string {
  const { source = 0, result = 0, share = 0 } = fidelity[unit] ?? {}
  const percent = Math.floor(share * 100)
  return `Of ${formatCount(source, unit)} in the ${from}, ${result.toLocaleString('en-US')} are in the ${to} (${percent} %).`
}
