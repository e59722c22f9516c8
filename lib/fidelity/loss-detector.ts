import type { EngineResult, InputFile, Operation, OutputFile, Shortfall } from '../engines/engine.ts'
import { AppError } from '../errors.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import type { ConversionStep, Warning } from '../jobs/job.ts'
import type { Log } from '../log.ts'
import {
  type ComparisonResult,
  compare,
  contentPreservingOperations,
  droppedFeatures,
  retainedFeatures,
} from './compare.ts'
import { type ContentSummary, combineSummaries, StoredSummary } from './content-summary.ts'
import { combineSequential, type Fidelity, type Unit } from './fidelity.ts'
import { pagesInZip, readSummary } from './read-summary.ts'
import { WordCounts } from './word-counts.ts'

/** A result that has nothing of what its source holds. Another way may give more. */
export class ContentLostError extends AppError {
  constructor(from: FormatId, to: FormatId, content: string) {
    super(
      'CONVERSION_FAILED',
      `The ${from} holds ${content}, but nothing of it is in the ${to} that came out of it. Choose another target, or save the file again in the program that made it.`,
      { from, to, reason: 'content-lost' },
    )
  }
}

/** What a step is known by here. */
type CheckedStep = Pick<ConversionStep, 'operation' | 'from' | 'to' | 'options'>

/** Reading takes the thread that starts engines. After this time most of them work by themselves. */
const readDelayMs = 40

/**
 * Holds the result of each step to what went in. What is sent is read while its engine works, what comes out once, when
 * it is there and the last of it is on its way to the storage; it is what goes into the next step.
 */
export class LossDetector implements Disposable {
  readonly #log: Log
  /** Reads it when it is first called. */
  #source: () => Promise<ContentSummary | undefined> = async () => undefined
  #readTimer: NodeJS.Timeout | undefined
  #fidelity: Fidelity | undefined
  #shortfall: Shortfall | undefined

  constructor(log: Log) {
    this.#log = log
  }

  /** Of all steps so far. */
  get fidelity(): Fidelity | undefined {
    return this.#fidelity
  }

  /** Of the step that lost the most. */
  get shortfall(): Shortfall | undefined {
    return this.#shortfall
  }

  /** @param step the first one, whose options may say how texts are encoded. */
  start(
    inputs: readonly Pick<InputFile, 'path' | 'format'>[],
    { operation, options }: Partial<Pick<CheckedStep, 'operation' | 'options'>> = {},
  ): void {
    // What goes into an archive is not looked into.
    if (operation === 'archive') {
      this.#setSource({ counts: { entries: inputs.length }, features: [] })
      return
    }
    const asked = {
      encoding: stringOption(options?.['encoding']),
      delimiter: stringOption(options?.['delimiter']),
    }
    const one = ({ path, format }: (typeof inputs)[number]) =>
      this.#readSafely(() => readSummary(path, format, { isResult: false, ...asked }))
    let reading: Promise<ContentSummary | undefined> | undefined
    this.#source = () => (reading ??= Promise.all(inputs.map(one)).then(combineSummaries))
    clearTimeout(this.#readTimer)
    this.#readTimer = setTimeout(this.#source, readDelayMs)
  }

  #setSource(source: ContentSummary | undefined): void {
    this.#source = async () => source
  }

  /** What has not been read by now need not be any more. */
  [Symbol.dispose](): void {
    clearTimeout(this.#readTimer)
  }

  /** What is kept of it while parts do the work. */
  async storedSummary(): Promise<StoredSummary | undefined> {
    const source = await this.#source()
    // Without the words, which no record holds.
    return source && StoredSummary.parse(source)
  }

  restore({ seconds, soundSeconds, ...held }: StoredSummary): void {
    const durations = {
      ...(seconds !== undefined && { seconds }),
      ...(soundSeconds !== undefined && { soundSeconds }),
    }
    this.#setSource({ ...held, ...durations })
  }

  /**
   * @param result with the files in an archive, as its own program lists them, for archives that nobody else reads.
   * @throws ContentLost.
   */
  async checkStep(
    step: CheckedStep,
    {
      files,
      memberCounts: listed,
      hiddenText = '',
    }: Pick<EngineResult, 'files' | 'memberCounts' | 'hiddenText'>,
    warned: readonly Warning[],
  ): Promise<void> {
    // Steps are of formats of the registry, or the engine would not have been found.
    const [from, to] = [step.from as FormatId, step.to as FormatId]
    // Nothing could be read of a locked document: the open one is what the others are held to.
    if (step.operation === 'unlock') this.start(files.map(({ path }) => ({ path, format: to })))
    if (!contentPreservingOperations.includes(step.operation)) return
    const source = withoutHiddenText(await this.#source(), hiddenText) ?? entrySummary(listed?.source)
    const made = combineSummaries(
      await Promise.all(files.map((file) => this.#readResult(file, step.operation, to))),
    )
    const result = made ?? entrySummary(listed?.result)
    this.#setSource(result)
    if (!source || !result) {
      const uncounted = [...(source ? [] : [from]), ...(result ? [] : [to])]
      const dropped = source ? droppedFeatures({ source, from, to }) : []
      this.#fidelity = combineSequential(this.#fidelity, { dropped, uncounted })
      return
    }
    const features = new Set([...result.features, ...retainedFeatures({ source, result, from, to })])
    this.#setSource({ ...result, features: [...features] })
    const codes = warned.map(({ code }) => code)
    const verdict = compare({ ...step, from, to, source, result, warned: codes })
    this.#fidelity = combineSequential(this.#fidelity, verdict.fidelity)
    if (verdict.isEmpty) throw new ContentLostError(from, to, describeSource(verdict))
    const shortfall = createShortfall(verdict, from, to)
    if (shortfall && shortfall.kept < (this.#shortfall?.kept ?? 1)) this.#shortfall = shortfall
  }

  /** Several pages come as a ZIP of files, where something else was asked for. */
  #readResult(file: OutputFile, operation: Operation, to: FormatId): Promise<ContentSummary | undefined> {
    const { path, format = to } = file
    const page = operation === 'split-pdf' ? 'pdf' : to
    const isPacked = format === 'zip' && (page === 'pdf' || formatById(page).category === 'image')
    return this.#readSafely(() =>
      isPacked ? pagesInZip(path, page) : readSummary(path, format, { isResult: true }),
    )
  }

  /** A fault of ours in counting costs a figure, and nobody the result. */
  async #readSafely(read: () => Promise<ContentSummary | undefined>): Promise<ContentSummary | undefined> {
    try {
      return await read()
    } catch (error) {
      this.#log.error({ error }, 'what is in a file could not be counted')
      return undefined
    }
  }
}

const stringOption = (option: unknown) => (typeof option === 'string' ? option : undefined)

/** What nobody sees is left out on purpose, and told as such. */
function withoutHiddenText(
  source: ContentSummary | undefined,
  hiddenText: string,
): ContentSummary | undefined {
  if (hiddenText === '' || !source?.words) return source
  const hidden = new WordCounts()
  hidden.add(hiddenText)
  const words = source.words.without(hidden)
  if (words.total === source.words.total) return source
  return { ...source, words, features: [...source.features, 'hiddenText'] }
}

const entrySummary = (entries: number | undefined): ContentSummary | undefined =>
  entries === undefined ? undefined : { counts: { entries }, features: [] }

const unitNames: Readonly<Record<Unit, readonly [one: string, many: string]>> = {
  words: ['word', 'words'],
  pages: ['page', 'pages'],
  slides: ['slide', 'slides'],
  sheets: ['sheet', 'sheets'],
  cells: ['filled cell', 'filled cells'],
  cues: ['subtitle', 'subtitles'],
  frames: ['picture', 'pictures'],
  seconds: ['second', 'seconds'],
  samples: ['sample', 'samples'],
  channels: ['channel', 'channels'],
  glyphs: ['letter', 'letters'],
  entries: ['file', 'files'],
}

const formatCount = (count: number, unit: Unit) =>
  `${count.toLocaleString('en-US')} ${unitNames[unit][count === 1 ? 0 : 1]}`

function describeSource({ fidelity }: ComparisonResult): string {
  const { words, seconds } = fidelity
  if (words) return formatCount(words.source, 'words')
  return seconds ? `${formatCount(seconds.source, 'seconds')} of sound` : 'sound'
}

function createShortfall(
  { fidelity, lost }: ComparisonResult,
  from: FormatId,
  to: FormatId,
): Shortfall | undefined {
  const measures = lost.flatMap((unit) => (fidelity[unit] ? [{ unit, ...fidelity[unit] }] : []))
  if (measures.length === 0) return undefined
  const sentences = measures.map(({ unit, source, result, share }) => {
    const percent = Math.floor(share * 100)
    return `Of ${formatCount(source, unit)} in the ${from}, ${result.toLocaleString('en-US')} are in the ${to} (${percent} %).`
  })
  const kept = Math.min(...measures.map(({ share }) => share))
  return { kept, warning: { code: 'CONTENT_LOST', message: sentences.join(' ') } }
}
