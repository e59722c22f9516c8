import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { engines } from '../../../lib/engines/index.ts'
import { convertAndCleanUp } from '../support/convert-and-clean-up.ts'
import { readStdout } from '../support/inspect-result.ts'
import { fixture } from '../support/run-engine.ts'

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
