import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

describe('cover and tags of audio', () => {
  const folder = scratchFolder('covers')
  const albumPath = join(folder, 'album.flac')
  const texts = { title: 'Grüße', artist: 'Älvis', album: 'Werke', track: '3/9', date: '2020' }

  before(async () => {
    const tagArgs = Object.entries(texts).flatMap(([name, text]) => ['-metadata', `${name}=${text}`])
    const inputs = ['-i', fixture('tone.mp3'), '-i', fixture('corners.png')]
    const encodedArgs = ['-c:a', 'flac', '-sample_fmt', 's16', '-c:v', 'copy']
    const outputArgs = ['-map', '0:a', '-map', '1', ...encodedArgs, '-disposition:v', 'attached_pic']
    await readStdout('ffmpeg', '-v', 'error', ...inputs, ...outputArgs, ...tagArgs, albumPath)
  })
  after(removeRuns)

  async function extractCover(path: string): Promise<Buffer> {
    const imagePath = `${path}.cover`
    const raw = ['-map', '0:v', '-c', 'copy', '-f', 'image2', '-update', '1', imagePath]
    await readStdout('ffmpeg', '-v', 'error', '-y', '-i', path, ...raw)
    return readFile(imagePath)
  }

  for (const to of ['ogg', 'oga', 'opus', 'aiff', 'aifc', 'mp3', 'm4a'] as const)
    test(`audio with a cover and tags keeps both in ${to}`, async () => {
      const { path, warnings } = await convert(ffmpeg, albumPath, to)
      assert.deepEqual(warnings, [])
      assert.deepEqual(await extractCover(path), await extractCover(albumPath))
      const tags = await readStdout(
        'ffprobe',
        '-v',
        'error',
        '-show_entries',
        'format_tags:stream_tags',
        path,
      )
      for (const text of Object.values(texts)) assert.ok(tags.includes(`=${text}`), `${text} in ${tags}`)
    })

  test('audio with a cover and tags keeps both when it is converted from one Ogg format to another', async () => {
    const { path } = await convert(ffmpeg, albumPath, 'ogg')
    const repeatedRun = await convert(ffmpeg, path, 'opus')
    assert.deepEqual(await extractCover(repeatedRun.path), await extractCover(albumPath))
    const tags = await readStdout('ffprobe', '-v', 'error', '-show_entries', 'stream_tags', repeatedRun.path)
    assert.match(tags, /=Grüße/)
  })

  test('audio with a cover causes a warning if the target format does not support covers', async () => {
    assert.deepEqual((await convert(ffmpeg, albumPath, 'wav')).warnings, ['COVER_DROPPED'])
  })
})
