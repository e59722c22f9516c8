import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { frameRangeOf, segmentLengths, segmentPositions } from '../../lib/engines/ffmpeg/merge-plan.ts'
import { mergeVideoOptions } from '../../lib/engines/ffmpeg/options.ts'
import { parseProbe } from '../../lib/engines/ffmpeg/probe.ts'
import { videoContainers } from '../../lib/engines/ffmpeg/video-containers.ts'

interface Film {
  readonly seconds?: number
  readonly width?: number
  readonly codec?: string
  readonly mute?: boolean
  readonly subtitles?: boolean
}

function film({ seconds = 600, width = 1280, codec = 'h264', mute = false, subtitles = false }: Film = {}) {
  const height = (width * 9) / 16
  const picture = { index: 0, codec_type: 'video', codec_name: codec, width, height, avg_frame_rate: '25/1' }
  const sound = { index: 1, codec_type: 'audio', codec_name: 'aac', channels: 2 }
  const words = { index: 2, codec_type: 'subtitle', codec_name: 'subrip' }
  const streams = [picture, ...(mute ? [] : [sound]), ...(subtitles ? [words] : [])]
  return { media: parseProbe({ streams, format: { duration: seconds } }) }
}

const alone = { workers: 1, timeoutS: 60 }
const lengths = (films: readonly ReturnType<typeof film>[], options = {}, crew = alone) =>
  segmentLengths(films, { container: videoContainers.mp4, options: mergeVideoOptions.parse(options) }, crew)
const encoded = { mode: 'encode' }

test('films of a merge are cut into pieces of about the same work', () => {
  const [small = 0, large = 0] =
    lengths([film(), film({ width: 3840 })], {}, { ...alone, timeoutS: 300 }) ?? []
  assert.ok(Math.abs(small / large - 9) < 0.01, `${small} s and ${large} s`)
  const [one, other] = lengths([film(), film({ seconds: 3 })], encoded) ?? []
  assert.equal(one, other)
  assert.ok(one !== undefined && one >= 6 && one < 600, `${one} s`)
})

test('a merge stays whole that is copied, ends in time, or of which nobody knows how long it takes', () => {
  const twice = [film(), film()]
  assert.equal(lengths(twice), undefined)
  assert.equal(
    lengths([film(), film({ codec: 'vp9', seconds: 20 })], {}, { ...alone, timeoutS: 3000 }),
    undefined,
  )
  assert.ok(lengths([film({ mute: true }), film({ mute: true, subtitles: true })], encoded))
  assert.equal(lengths([film(), { media: { ...film().media, durationS: undefined } }], encoded), undefined)
})

test('workers of other machines are worth it, those of this one are not', () => {
  const crew = (workers: number) => ({ workers, timeoutS: Number.POSITIVE_INFINITY })
  assert.equal(lengths([film(), film()], encoded, crew(availableParallelism())), undefined)
  assert.ok(lengths([film(), film()], encoded, crew(100)))
})

test('pieces have all pictures between them, whatever the rate of the film was', () => {
  // 59.94 pictures a second that become 30, cut at the 181st and at the 400th, which lie between two of the result.
  const [first, second, end] = [(181 * 1001) / 60_000, (400 * 1001) / 60_000, (721 * 1001) / 60_000].map(
    (seconds) => Number(seconds.toFixed(6)),
  ) as [number, number, number]
  const places = [
    { startS: 0, endS: first },
    { startS: first, endS: second },
    { startS: second, endS: end },
  ]
  const runs = places.map((place) => frameRangeOf(place, 30))
  assert.deepEqual(runs, [
    { first: 0, count: 91 },
    { first: 91, count: 109 },
    { first: 200, count: 161 },
  ])
})

test('a picture in the very middle between two of the result is the later one', () => {
  assert.deepEqual(frameRangeOf({ startS: 0.483333, endS: 1.516667 }, 30), { first: 15, count: 31 })
})

test('pieces begin where the sound has their film, at a picture of the result', () => {
  const films = [
    { first: 3, count: 100 },
    { first: 0, count: 50 },
  ]
  const pieces = [
    { film: 0, first: 3, count: 60 },
    { film: 0, first: 63, count: 40 },
    { film: 1, first: 0, count: 50 },
  ]
  const inSound = segmentPositions(pieces, films, { beginS: [0.12, 4.51], perSecond: 25 })
  assert.deepEqual(inSound, [
    { startS: 0.12, endS: 2.52 },
    { startS: 2.52, endS: 4.52 },
    { startS: 4.52, endS: 6.52 },
  ])
  const mute = segmentPositions(pieces, films, { beginS: undefined, perSecond: 25 })
  assert.deepEqual(
    mute.map(({ startS }) => startS),
    [0.12, 2.52, 4.12],
  )
})
