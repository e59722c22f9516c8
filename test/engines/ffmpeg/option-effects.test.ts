import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audioContainers } from '../../../lib/engines/ffmpeg/audio-containers.ts'
import { videoContainers } from '../../../lib/engines/ffmpeg/video-containers.ts'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { keysOf } from '../../../lib/validation/keys-of.ts'
import { findTrial } from '../../sweep/option-trials.ts'
import { containerFor, createRecipe, type Streams } from '../support/ffmpeg-recipe.ts'

/** Returns source streams for which the option has an effect. */
function createStreams(to: string, option: string): Streams {
  const { copyableCodecs } = containerFor(to)
  // `mode` needs streams that can be copied. A codec option needs streams that cannot. `background` needs transparency.
  if (option === 'mode')
    return { video: { codec_name: copyableCodecs[0] }, audio: [{ codec_name: copyableCodecs.at(-1) }] }
  if (/codec/i.test(option)) return { video: { codec_name: 'cinepak' }, audio: [{ codec_name: 'cook' }] }
  if (option === 'background') return { video: { pix_fmt: 'yuva420p', codec_name: 'qtrle' } }
  return {}
}

/**
 * Returns ffmpeg's arguments, and the warnings that name the option. Returns undefined if the option does not accept
 * the value.
 *
 * @param beside other options of the same conversion
 */
function createPlan(to: string, option: string, value: unknown, beside: object) {
  const row = ffmpeg.capabilities.find(
    ({ operation, to: targets }) => operation === 'convert' && targets.some((id) => id === to),
  )
  const parsed = row?.options.safeParse({ ...beside, [option]: value })
  if (!parsed?.success) return undefined
  const { input, output, twoPass, warnings } = createRecipe(to, parsed.data, createStreams(to, option))
  const optionWarnings = warnings.filter(
    ({ message }) => message.startsWith(option) || message.includes(`${option}=`),
  )
  return { args: JSON.stringify([input, output, twoPass]), optionWarnings }
}

const targets = [...keysOf(videoContainers), ...keysOf(audioContainers)]

/** Lists the options that neither change a conversion to this format nor cause a warning. */
function findSilentOptions(to: FormatId): string[] {
  const row = ffmpeg.capabilities.find(
    ({ operation, to: rowTargets }) => operation === 'convert' && rowTargets.includes(to),
  )
  return Object.keys(row?.options.shape ?? {}).filter((option) => {
    // Formats that support no stream copies always encode, so `mode` has no effect.
    if (option === 'mode' && containerFor(to).copyableCodecs.length === 0) return false
    const trial = findTrial('ffmpeg', 'convert', option)
    const [first, second] = (trial?.values ?? []).flatMap(
      (value) => createPlan(to, option, value, trial?.beside ?? {}) ?? [],
    )
    const isReported = (first?.optionWarnings.length ?? 0) + (second?.optionWarnings.length ?? 0) > 0
    return !second || !(isReported || first?.args !== second.args)
  })
}

test('each option of a conversion changes the arguments of FFmpeg or causes a warning', () => {
  const silentOptions = targets.flatMap((to) => findSilentOptions(to).map((option) => `${to} ${option}`))
  assert.deepEqual(silentOptions, [])
})
