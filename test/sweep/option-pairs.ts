import { readFileSync } from 'node:fs'
import type { EngineId } from '../../lib/component-ids.ts'
import type { Capability, Engine } from '../../lib/engines/engine.ts'
import { audioContainers } from '../../lib/engines/ffmpeg/audio-containers.ts'
import { videoContainers } from '../../lib/engines/ffmpeg/video-containers.ts'
import { engines } from '../../lib/engines/index.ts'
import { isInputOption } from '../../lib/engines/options.ts'
import { watermarkOptionShape } from '../../lib/engines/shared/image/watermark-options.ts'
import { type FormatId, formatByExtension, formatById } from '../../lib/formats/index.ts'
import { findTrial, type Trial } from './option-trials.ts'

const typicalSources: readonly FormatId[] = [
  ...(['png', 'jpg', 'svg', 'mp4', 'wav', 'srt', 'docx', 'epub', 'md', 'csv', 'odp', 'ttf', 'zip'] as const),
]

/** A conversion with an option. One source stands for all sources of a row, unless the option is about the source. */
export interface OptionPair {
  readonly engine: Engine
  readonly row: Capability
  readonly option: string
  readonly from: FormatId
  readonly to: FormatId
}

/** Lists all pairs; those that stand for others come first. */
export function listOptionPairs(chosenEngines: readonly Engine[] = engines): OptionPair[] {
  const pairs = listAllPairs(chosenEngines)
  const representatives = new Set(
    [...Map.groupBy(pairs, getConversionClass).values()].flatMap(([pair]) => pair ?? []),
  )
  return [...representatives, ...pairs.filter((pair) => !representatives.has(pair))]
}

/** Options that one function applies before the result is encoded, so that one target can stand for the others. */
const optionsOfAllTargets: Partial<Record<EngineId, readonly string[]>> = {
  vips: ['width', 'height', 'fit', 'downscale', 'rotate', 'dpi', ...Object.keys(watermarkOptionShape)],
  imagemagick: ['width', 'height', 'fit', 'downscale', 'rotate'],
  chromium: ['width', 'height', 'fit', 'downscale', 'rotate'],
  '7zip': ['paths'],
  ffmpeg: ['start', 'end', 'volume', 'rotate', 'background', ...Object.keys(watermarkOptionShape)],
}

/** Options of audio tracks; in a video, the others depend on the codec of the video track. */
const audioOptions = ['audioBitrate', 'audioCodec', 'audioSampleRate', 'channels']

/**
 * Pairs with the same key are converted by the same functions, so one of them can stand for the others. Containers with
 * the same default codecs are written by the same functions.
 */
export function getConversionClass({ engine, row, option, from, to }: OptionPair): string {
  const container = { ...videoContainers, ...audioContainers }[to as keyof typeof videoContainers]
  const isMedia = engine.id === 'ffmpeg' && row.operation !== 'metadata/write' && container !== undefined
  const codec = isMedia && ((!audioOptions.includes(option) && container.video[0]) || container.audio[0])
  const source = row.options.shape[option] && isInputOption(row.options.shape[option]) ? from : ''
  const target = optionsOfAllTargets[engine.id]?.includes(option) ? formatById(to).category : codec || to
  return [engine.id, row.operation, option, source, target].join('\t')
}

function listAllPairs(chosenEngines: readonly Engine[]): OptionPair[] {
  return chosenEngines.flatMap((engine) =>
    engine.capabilities.flatMap((row) =>
      Object.keys(row.options.shape).flatMap((option) =>
        listPairs(row, option, findTrial(engine.id, row.operation, option)).map(([from, to]) => ({
          engine,
          row,
          option,
          from,
          to,
        })),
      ),
    ),
  )
}

/** Returns each target with one source, and for options of the source also each source with one target. */
function listPairs(
  { from, to, options, same, except = [] }: Capability,
  option: string,
  trial: Trial | undefined,
): (readonly [FormatId, FormatId])[] {
  const fixtureFormats = (trial?.fixtures ?? []).map((name) => formatByExtension(name)?.id)
  const preferredSources = [...fixtureFormats, ...typicalSources].flatMap((id) =>
    from.filter((source) => source === id),
  )
  const isOffered = (source: FormatId, target: FormatId) =>
    (same || source !== target) && !except.some((pair) => pair[0] === source && pair[1] === target)
  const withTarget = (target: FormatId): (readonly [FormatId, FormatId])[] => {
    if (trial?.isCopied && same && from.includes(target)) return [[target, target]]
    const sources = [...preferredSources, ...from].filter((source) => isOffered(source, target))
    const source =
      sources.find((id) => fixtureFormats.includes(id)) ?? sources.find((id) => id !== target) ?? sources[0]
    return source ? [[source, target]] : []
  }
  const pairs = to.flatMap(withTarget)
  if (!options.shape[option] || !isInputOption(options.shape[option])) return pairs
  const triedSources = pairs.map(([source]) => source)
  return [
    ...pairs,
    ...from.flatMap((source) => {
      const target = to.find((id) => isOffered(source, id))
      return target && !triedSources.includes(source) ? [[source, target] as const] : []
    }),
  ]
}

export const describePair = ({ from, to }: Pick<OptionPair, 'from' | 'to'>) => `${from}-${to}`

/** A pair with its outcome: `effect`, `reported`, `none` or `not judged`. The last two need a reason. */
export interface JudgedPair {
  readonly engine: string
  readonly operation: string
  readonly option: string
  readonly pair: string
  readonly outcome: string
  readonly reason: string
}

export const tablePath = new URL('options.tsv', import.meta.url).pathname

export const getPairKey = ({ engine, operation, option, pair }: Omit<JudgedPair, 'outcome' | 'reason'>) =>
  [engine, operation, option, pair].join('\t')

export function readOptionTable(): JudgedPair[] {
  const [, ...lines] = readFileSync(tablePath, 'utf8').trimEnd().split('\n')
  return lines.flatMap((line) => {
    const [engine = '', operation = '', option = '', outcome = '', pairs = '', reason = ''] = line.split('\t')
    return pairs.split(' ').map((pair) => ({ engine, operation, option, pair, outcome, reason }))
  })
}

/** Pairs with the same outcome share a line. */
export function formatOptionTable(judgedPairs: readonly JudgedPair[]): string {
  const lines = Map.groupBy(judgedPairs, ({ engine, operation, option, outcome, reason }) =>
    JSON.stringify([engine, operation, option, outcome, reason]),
  )
  const rows = [...lines.values()].map((group) => {
    const [{ engine, operation, option, outcome, reason }] = group as [JudgedPair, ...JudgedPair[]]
    const pairs = group.map(({ pair }) => pair).join(' ')
    return [engine, operation, option, outcome, pairs, ...(reason === '' ? [] : [reason])].join('\t')
  })
  return `${[['engine', 'operation', 'option', 'outcome', 'pairs', 'reason'].join('\t'), ...rows].join('\n')}\n`
}

/** Drops pairs that are no longer offered, and sorts the others by engine, operation and option as in the registry. */
export function keepOffered(judgedPairs: readonly JudgedPair[]): JudgedPair[] {
  const offeredOptions = engines.flatMap(({ id, capabilities }) =>
    capabilities.flatMap(({ operation, from, to, options }) =>
      Object.keys(options.shape).map((option) => ({ name: [id, operation, option].join('\t'), from, to })),
    ),
  )
  const order = new Map(
    [...Map.groupBy(offeredOptions, ({ name }) => name)].map(([name, rows], at) => [name, { at, rows }]),
  )
  const find = ({ engine, operation, option }: JudgedPair) =>
    order.get([engine, operation, option].join('\t'))
  return judgedPairs
    .filter((judged) =>
      find(judged)?.rows.some(
        (row) =>
          row.from.some((id) => judged.pair.startsWith(`${id}-`)) &&
          row.to.some((id) => judged.pair.endsWith(`-${id}`)),
      ),
    )
    .toSorted((one, other) => (find(one)?.at ?? 0) - (find(other)?.at ?? 0))
}
