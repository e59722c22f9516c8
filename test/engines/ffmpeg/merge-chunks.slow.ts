// Run by `npm run test:slow`: compares videos that were merged in chunks with videos that were merged in one run.
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

const folder = scratchFolder('merge-chunks')
const getPath = (name: string) => join(folder, name)

function createVideo(name: string, ...args: readonly string[]) {
  const allArgs = ['-nostdin', '-v', 'error', '-y', ...args, getPath(name)]
  const { status, stderr } = spawnSync('ffmpeg', allArgs, { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}

const createVideoArgs = (size: string, rate: string, seconds: number) => [
  ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`],
]
const createAudioArgs = (seconds: number, rate = 48_000) => [
  ...['-f', 'lavfi', '-i', `sine=frequency=440:beep_factor=4:sample_rate=${rate}:duration=${seconds}`],
]
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '3', '-g', '60']

before(async () => {
  createVideo(
    'plain.mp4',
    ...createVideoArgs('320x180', '25', 20),
    ...createAudioArgs(20),
    ...h264,
    '-metadata',
    'title=First',
  )
  // The audio is longer than the video, and does not end at the start of a frame.
  createVideo(
    'ntsc.mp4',
    ...createVideoArgs('640x360', '30000/1001', 20),
    ...createAudioArgs(20.37, 44_100),
    ...h264,
  )
  const vp9 = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-g', '50', '-c:a', 'libopus']
  createVideo('web.webm', ...createVideoArgs('160x240', '50', 14), ...createAudioArgs(13.2), ...vp9)
  createVideo('mute.mkv', ...createVideoArgs('320x180', '24', 13), '-c:v', 'mpeg4', '-q:v', '5')
  createVideo('short.mov', ...createVideoArgs('320x180', '60', 2), ...createAudioArgs(2), ...h264)
  // The video starts 15 frames after the audio, whose PCM samples have no encoder delay.
  const lateArgs = [
    '-itsoffset',
    '0.6',
    '-i',
    getPath('plain.mp4'),
    '-i',
    getPath('plain.mp4'),
    '-map',
    '0:v',
    '-map',
    '1:a',
  ]
  createVideo('late.mkv', ...lateArgs, '-map', '1:a', '-c:v', 'copy', '-c:a', 'pcm_s16le')
})

const merges: Readonly<Record<string, { readonly files: readonly string[] } & VideoRequest>> = {
  'of videos with different sizes, frame rates and codecs': {
    files: ['plain.mp4', 'ntsc.mp4', 'web.webm', 'mute.mkv', 'short.mov'],
    from: 'mp4',
    to: 'mp4',
  },
  'of videos that begin after their audio and have a second audio track': {
    files: ['late.mkv', 'plain.mp4', 'late.mkv'],
    from: 'mkv',
    to: 'mkv',
  },
  'at the NTSC frame rate': { files: ['ntsc.mp4', 'plain.mp4'], from: 'mp4', to: 'mov' },
  'to WebM': { files: ['web.webm', 'short.mov'], from: 'webm', to: 'webm' },
  'without audio': { files: ['mute.mkv', 'mute.mkv'], from: 'mkv', to: 'mkv' },
}

for (const [caseName, { files, ...videoRequest }] of Object.entries(merges)) {
  test(`a merge ${caseName} has the same result in chunks as in one run`, { timeout: 600_000 }, async () => {
    const merge = {
      operation: 'merge',
      ...videoRequest,
      options: { preset: 'ultrafast', mode: 'encode' },
    } as const
    const paths = files.map(getPath)
    const wholeVideo = await convertWhole(paths, merge)
    const { result, chunkCount } = await convertInChunks(paths, merge, { workers: 1, timeoutS: 0.3 })
    assert.ok(chunkCount > files.length + 1, `${chunkCount} parts`)
    await assertSameVideo(wholeVideo, result)
  })
}

test('a merge of videos is not split into chunks if it is copied, short enough or written as AVI', async () => {
  const mergeRequest = { operation: 'merge', from: 'mp4', to: 'mp4' } as const
  const samePathTwice = [getPath('plain.mp4'), getPath('plain.mp4')]
  assert.equal(await splitTestVideo(samePathTwice, mergeRequest), undefined)
  const encodedMerge = { ...mergeRequest, options: { mode: 'encode' } }
  assert.equal(await splitTestVideo(samePathTwice, encodedMerge, { workers: 1, timeoutS: 600 }), undefined)
  assert.equal(await splitTestVideo(samePathTwice, { ...encodedMerge, to: 'avi' }), undefined)
  assert.ok(await splitTestVideo(samePathTwice, encodedMerge))
})
