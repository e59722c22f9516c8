import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { chooseSegmentLengths, locateSegments, toFrameRange } from '../../../lib/engines/ffmpeg/merge-plan.ts'
import { mergeVideoOptions } from '../../../lib/engines/ffmpeg/options.ts'
import { parseProbe } from '../../../lib/engines/ffmpeg/probe.ts'
import { videoContainers } from '../../../lib/engines/ffmpeg/video-containers.ts'

interface VideoSpec {
  readonly seconds?: number
  readonly width?: number
  readonly codec?: string
  readonly isSilent?: boolean
  readonly hasSubtitles?: boolean
}

function createVideo({
  seconds = 600,
  width = 1280,
  codec = 'h264',
  isSilent = false,
  hasSubtitles = false,
}: VideoSpec = {}) {
  const height = (width * 9) / 16
  const video = { index: 0, codec_type: 'video', codec_name: codec, width, height, avg_frame_rate: '25/1' }
  const audio = { index: 1, codec_type: 'audio', codec_name: 'aac', channels: 2 }
  const subtitle = { index: 2, codec_type: 'subtitle', codec_name: 'subrip' }
  const streams = [video, ...(isSilent ? [] : [audio]), ...(hasSubtitles ? [subtitle] : [])]
  return { media: parseProbe({ streams, format: { duration: seconds } }) }
}

const loneWorker = { workers: 1, timeoutS: 60 }
const planSegmentLengths = (
  videos: readonly ReturnType<typeof createVideo>[],
  options = {},
  pool = loneWorker,
) =>
  chooseSegmentLengths(
    videos,
    { container: videoContainers.mp4, options: mergeVideoOptions.parse(options) },
    pool,
  )
const encodeMode = { mode: 'encode' }

test('a merge of videos is split into segments with about the same encoding time', () => {
  const [smallFrameLengthS = 0, largeFrameLengthS = 0] =
    planSegmentLengths([createVideo(), createVideo({ width: 3840 })], {}, { ...loneWorker, timeoutS: 300 }) ??
    []
  assert.ok(
    Math.abs(smallFrameLengthS / largeFrameLengthS - 9) < 0.01,
    `${smallFrameLengthS} s and ${largeFrameLengthS} s`,
  )
  const [firstLengthS, secondLengthS] =
    planSegmentLengths([createVideo(), createVideo({ seconds: 3 })], encodeMode) ?? []
  assert.equal(firstLengthS, secondLengthS)
  assert.ok(firstLengthS !== undefined && firstLengthS >= 6 && firstLengthS < 600, `${firstLengthS} s`)
})

test('a merge of videos is not split if it is copied, short enough or of unknown duration', () => {
  const twoVideos = [createVideo(), createVideo()]
  assert.equal(planSegmentLengths(twoVideos), undefined)
  assert.equal(
    planSegmentLengths(
      [createVideo(), createVideo({ codec: 'vp9', seconds: 20 })],
      {},
      { ...loneWorker, timeoutS: 3000 },
    ),
    undefined,
  )
  assert.ok(
    planSegmentLengths(
      [createVideo({ isSilent: true }), createVideo({ isSilent: true, hasSubtitles: true })],
      encodeMode,
    ),
  )
  assert.equal(
    planSegmentLengths(
      [createVideo(), { media: { ...createVideo().media, durationS: undefined } }],
      encodeMode,
    ),
    undefined,
  )
})

test('a merge of videos without a time limit is split only for workers on other machines', () => {
  const createPool = (workers: number) => ({ workers, timeoutS: Number.POSITIVE_INFINITY })
  assert.equal(
    planSegmentLengths([createVideo(), createVideo()], encodeMode, createPool(availableParallelism())),
    undefined,
  )
  assert.ok(planSegmentLengths([createVideo(), createVideo()], encodeMode, createPool(100)))
})

test('the segments of a video converted from 59.94 to 30 frames per second contain each frame exactly once', () => {
  // 59.94 frames per second become 30, split at frames 181 and 400, which are between two frames of the result.
  const [firstCut, secondCut, end] = [
    (181 * 1001) / 60_000,
    (400 * 1001) / 60_000,
    (721 * 1001) / 60_000,
  ].map((seconds) => Number(seconds.toFixed(6))) as [number, number, number]
  const segments = [
    { startS: 0, endS: firstCut },
    { startS: firstCut, endS: secondCut },
    { startS: secondCut, endS: end },
  ]
  const frameRanges = segments.map((segment) => toFrameRange(segment, 30))
  assert.deepEqual(frameRanges, [
    { first: 0, count: 91 },
    { first: 91, count: 109 },
    { first: 200, count: 161 },
  ])
})

test('a video segment that starts exactly between two frames begins with the later one', () => {
  assert.deepEqual(toFrameRange({ startS: 0.483333, endS: 1.516667 }, 30), { first: 15, count: 31 })
})

test('each video of a merge starts at its position in the merged audio, rounded to a frame, or after the previous video', () => {
  const videos = [
    { first: 3, count: 100 },
    { first: 0, count: 50 },
  ]
  const pieces = [
    { film: 0, first: 3, count: 60 },
    { film: 0, first: 63, count: 40 },
    { film: 1, first: 0, count: 50 },
  ]
  const withAudio = locateSegments(pieces, videos, { beginS: [0.12, 4.51], framesPerSecond: 25 })
  assert.deepEqual(withAudio, [
    { startS: 0.12, endS: 2.52 },
    { startS: 2.52, endS: 4.52 },
    { startS: 4.52, endS: 6.52 },
  ])
  const withoutAudio = locateSegments(pieces, videos, { beginS: undefined, framesPerSecond: 25 })
  assert.deepEqual(
    withoutAudio.map(({ startS }) => startS),
    [0.12, 2.52, 4.12],
  )
})
