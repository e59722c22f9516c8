import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { before } from '../../hooks.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import {
  assertSameVideo,
  convertInChunks,
  convertWhole,
  splitTestVideo,
  type VideoRequest,
} from '../support/video-in-chunks.ts'

const folder = scratchFolder('video-chunks')
const videos = {
  plain: join(folder, 'plain.mp4'),
  delayed: join(folder, 'late.mkv'),
  rotated: join(folder, 'turned.mp4'),
}

function runFfmpeg(...args: readonly string[]) {
  const { status, stderr } = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
}

before(async () => {
  const videoArgs = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=30000/1001:duration=24']
  const audioArgs = ['-f', 'lavfi', '-i', 'sine=frequency=440:beep_factor=4:duration=24']
  const codecArgs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '3', '-g', '60', '-c:a', 'aac']
  runFfmpeg(...videoArgs, ...audioArgs, ...codecArgs, '-metadata', 'title=Pieces', videos.plain)
  // The video starts 15 frames after the audio, whose PCM samples have no encoder delay.
  const lateArgs = [
    '-itsoffset',
    '0.5005',
    '-i',
    videos.plain,
    '-i',
    videos.plain,
    '-map',
    '0:v',
    '-map',
    '1:a',
  ]
  runFfmpeg(...lateArgs, '-c:v', 'copy', '-c:a', 'pcm_s16le', videos.delayed)
  runFfmpeg('-i', videos.plain, '-c', 'copy', '-metadata:s:v', 'rotate=90', videos.rotated)
})

const kinds = {
  'with reordered frames': {
    file: videos.plain,
    from: 'mp4',
    to: 'mp4',
    options: { mode: 'encode' },
  },
  'whose video begins after its audio': {
    file: videos.delayed,
    from: 'mkv',
    to: 'mkv',
    options: { mode: 'encode' },
  },
  'that is rotated': {
    file: videos.rotated,
    from: 'mp4',
    to: 'mkv',
    options: { codec: 'h265', preset: 'ultrafast' },
  },
  'converted to WebM': {
    file: videos.plain,
    from: 'mp4',
    to: 'webm',
    options: { preset: 'ultrafast', resolution: '160x90' },
  },
} as const satisfies Record<string, VideoRequest & { file: string }>

for (const [caseName, { file, ...videoRequest }] of Object.entries(kinds)) {
  test(`a video ${caseName} has the same result in chunks as in one run`, { timeout: 300_000 }, async () => {
    const wholeVideo = await convertWhole([file], videoRequest)
    const { result, chunkCount } = await convertInChunks([file], videoRequest)
    assert.ok(chunkCount > 3, `${chunkCount} parts`)
    const { expected, got } = await assertSameVideo(wholeVideo, result)
    assert.equal(got.title, expected.title)
    assert.deepEqual(
      [got.width, got.height, got.rotation],
      [expected.width, expected.height, expected.rotation],
    )
  })
}

test('a video is not split into chunks if it is copied, trimmed, short or gets another frame rate', async () => {
  const request = { from: 'mp4', to: 'mp4' } as const
  const encodeMode = { mode: 'encode' }
  assert.equal(await splitTestVideo([videos.plain], { from: 'mp4', to: 'mkv' }), undefined)
  for (const option of [{ start: '1' }, { end: '20' }, { fps: 10 }])
    assert.equal(
      await splitTestVideo([videos.plain], { ...request, options: { ...encodeMode, ...option } }),
      undefined,
    )
  assert.equal(
    await splitTestVideo([videos.plain], { ...request, options: encodeMode }, { workers: 1, timeoutS: 600 }),
    undefined,
  )
  assert.ok(await splitTestVideo([videos.plain], { ...request, options: encodeMode }))
})
