import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { engines } from '../../../lib/engines/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convertAndCleanUp } from '../support/convert-and-clean-up.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

after(removeRuns)
after(() => Promise.all(engines.map((engine) => engine.close?.())))

test('an AVIF sequence keeps its first frame with the transparency of its second track', async () => {
  const { path, route, codes } = await convertAndCleanUp(fixture('odd/alpha-sequence.avif'), 'webp')
  assert.deepEqual([route, codes], ['ffmpeg vips', ['ANIMATION_DROPPED']])
  const pixels = await readStdout('convert', path, '-scale', '2x2!', '-depth', '8', 'txt:-')
  assert.match(
    pixels,
    /#F[\dA-F]0[\dA-F]0[\dA-F]FF[\s\S]*#0[\dA-F]F[\dA-F]0[\dA-F]FF[\s\S]*#0{8}[\s\S]*#0{8}/,
  )
})

test('an AVIF sequence followed by a damaged box is converted', async () => {
  const path = join(scratchFolder('avif-test'), 'more.avif')
  const cutBox = Buffer.from('0000fffe66726565', 'hex')
  writeFileSync(path, Buffer.concat([readFileSync(fixture('odd/alpha-sequence.avif')), cutBox]))
  const { warnings } = await convert(ffmpeg, path, 'png')
  assert.deepEqual(warnings, ['ANIMATION_DROPPED'])
})
