import type { EngineResult, InputFile, Operation, OutputFile, Shortfall } from '../engines/engine.ts'
import { AppError } from '../errors.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import type { ConversionStep, Warning } from '../jobs/job.ts'
import type { Log } from '../log.ts'
import { carried, compare, droppedBy, keeping, type Verdict } from './compare.ts'
import { gathered, Held, type Holding } from './content-summary.ts'
import { type Fidelity, inTurn, type Unit } from './fidelity.ts'
import { holdingOf, pagesInZip } from './read.ts'
import { Words } from './word-counts.ts'

/** A result that has nothing of what its source holds. Another way may give more. */
export class ContentLost extends AppError {
  constructor(from: FormatId, to: FormatId, what: string) {
    super(
      'CONVERSION_FAILED',
      `The ${from} holds ${what}, but nothing of it is in the ${to} that came out of it. Choose another target, or save the file again in the program that made it.`,
      { from, to, reason: 'content-lost' },
    )
  }
}

/** What a step is known by here. */
type GuardedStep = Pick<ConversionStep, 'operation' | 'from' | 'to' | 'options'>

/** Reading takes the thread that starts engines. After this time most of them work by themselves. */
const headStartMs = 40

/**
 * Holds the result of each step to what went in. What is sent is read while its engine works, what comes out once, when
 * it is there and the last of it is on its way to the storage; it is what goes into the next step.
 */
export class Guard implements Disposable {
  readonly #log: Log
  /** Reads it when it is first called. */
  #source: () => Promise<Holding | undefined> = async () => undefined
  #headStart: NodeJS.Timeout | undefined
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
  begin(
    inputs: readonly Pick<InputFile, 'path' | 'format'>[],
    { operation, options }: Partial<Pick<GuardedStep, 'operation' | 'options'>> = {},
  ): void {
    // What goes into an archive is not looked into.
    if (operation === 'archive') {
      this.#know({ counts: { entries: inputs.length }, features: [] })
      return
    }
    const asked = { encoding: textOf(options?.['encoding']), delimiter: textOf(options?.['delimiter']) }
    const one = ({ path, format }: (typeof inputs)[number]) =>
      this.#tried(() => holdingOf(path, format, { isResult: false, ...asked }))
    let reading: Promise<Holding | undefined> | undefined
    this.#source = () => (reading ??= Promise.all(inputs.map(one)).then(gathered))
    clearTimeout(this.#headStart)
    this.#headStart = setTimeout(this.#source, headStartMs)
  }

  #know(source: Holding | undefined): void {
    this.#source = async () => source
  }

  /** What has not been read by now need not be any more. */
  [Symbol.dispose](): void {
    clearTimeout(this.#headStart)
  }

  /** What is kept of it while parts do the work. */
  async held(): Promise<Held | undefined> {
    const source = await this.#source()
    // Without the words, which no record holds.
    return source && Held.parse(source)
  }

  recall({ seconds, soundSeconds, ...held }: Held): void {
    const lasts = {
      ...(seconds !== undefined && { seconds }),
      ...(soundSeconds !== undefined && { soundSeconds }),
    }
    this.#know({ ...held, ...lasts })
  }

  /**
   * @param result with the files in an archive, as its own program lists them, for archives that nobody else reads.
   * @throws ContentLost.
   */
  async end(
    step: GuardedStep,
    {
      files,
      memberCounts: listed,
      hiddenText: unseen = '',
    }: Pick<EngineResult, 'files' | 'memberCounts' | 'hiddenText'>,
    warned: readonly Warning[],
  ): Promise<void> {
    // Steps are of formats of the registry, or the engine would not have been found.
    const [from, to] = [step.from as FormatId, step.to as FormatId]
    // Nothing could be read of a locked document: the open one is what the others are held to.
    if (step.operation === 'unlock') this.begin(files.map(({ path }) => ({ path, format: to })))
    if (!keeping.includes(step.operation)) return
    const source = asShown(await this.#source(), unseen) ?? entriesOf(listed?.source)
    const made = gathered(await Promise.all(files.map((file) => this.#made(file, step.operation, to))))
    const result = made ?? entriesOf(listed?.result)
    this.#know(result)
    if (!source || !result) {
      const uncounted = [...(source ? [] : [from]), ...(result ? [] : [to])]
      const dropped = source ? droppedBy({ source, from, to }) : []
      this.#fidelity = inTurn(this.#fidelity, { dropped, uncounted })
      return
    }
    const features = new Set([...result.features, ...carried({ source, result, from, to })])
    this.#know({ ...result, features: [...features] })
    const codes = warned.map(({ code }) => code)
    const verdict = compare({ ...step, from, to, source, result, warned: codes })
    this.#fidelity = inTurn(this.#fidelity, verdict.fidelity)
    if (verdict.isNothing) throw new ContentLost(from, to, held(verdict))
    const shortfall = shortfallOf(verdict, from, to)
    if (shortfall && shortfall.kept < (this.#shortfall?.kept ?? 1)) this.#shortfall = shortfall
  }

  /** Several pages come as a ZIP of files, where something else was asked for. */
  #made(file: OutputFile, operation: Operation, to: FormatId): Promise<Holding | undefined> {
    const { path, format = to } = file
    const page = operation === 'split-pdf' ? 'pdf' : to
    const isPacked = format === 'zip' && (page === 'pdf' || formatById(page).category === 'image')
    return this.#tried(() =>
      isPacked ? pagesInZip(path, page) : holdingOf(path, format, { isResult: true }),
    )
  }

  /** A fault of ours in counting costs a figure, and nobody the result. */
  async #tried(read: () => Promise<Holding | undefined>): Promise<Holding | undefined> {
    try {
      return await read()
    } catch (error) {
      this.#log.error({ error }, 'what is in a file could not be counted')
      return undefined
    }
  }
}

const textOf = (option: unknown) => (typeof option === 'string' ? option : undefined)

/** What nobody sees is left out on purpose, and told as such. */
function asShown(source: Holding | undefined, unseen: string): Holding | undefined {
  if (unseen === '' || !source?.words) return source
  const hidden = new Words()
  hidden.add(unseen)
  const words = source.words.without(hidden)
  if (words.total === source.words.total) return source
  return { ...source, words, features: [...source.features, 'hiddenText'] }
}

const entriesOf = (entries: number | undefined): Holding | undefined =>
  entries === undefined ? undefined : { counts: { entries }, features: [] }

const unitWords: Readonly<Record<Unit, readonly [one: string, many: string]>> = {
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

const counted = (count: number, unit: Unit) =>
  `${count.toLocaleString('en-US')} ${unitWords[unit][count === 1 ? 0 : 1]}`

function held({ fidelity }: Verdict): string {
  const { words, seconds } = fidelity
  if (words) return counted(words.source, 'words')
  return seconds ? `${counted(seconds.source, 'seconds')} of sound` : 'sound'
}

function shortfallOf({ fidelity, lost }: Verdict, from: FormatId, to: FormatId): Shortfall | undefined {
  const measures = lost.flatMap((unit) => (fidelity[unit] ? [{ unit, ...fidelity[unit] }] : []))
  if (measures.length === 0) return undefined
  const sentences = measures.map(({ unit, source, result, share }) => {
    const percent = Math.floor(share * 100)
    return `Of ${counted(source, unit)} in the ${from}, ${result.toLocaleString('en-US')} are in the ${to} (${percent} %).`
  })
  const kept = Math.min(...measures.map(({ share }) => share))
  return { kept, warning: { code: 'CONTENT_LOST', message: sentences.join(' ') } }
}
