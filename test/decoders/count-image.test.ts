import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { countImage } from '../../lib/decoders/count-image.ts'
import { stopDecoderProcesses } from '../../lib/decoders/stop-processes.ts'
import { vips } from '../../lib/engines/vips.ts'
import { LossDetector } from '../../lib/jobs/run/loss-detector.ts'
import { requireReadable } from '../../lib/jobs/run/require-readable.ts'
import { createLog } from '../../lib/log.ts'
import { convert, fixture } from '../engines/support/run-engine.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const folder = scratchFolder('count-image')
const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })
after(stopDecoderProcesses)

test('an engine process counts the frames of complete images, but not of truncated images or text files', async () => {
  const gif = fixture('animated.gif')
  assert.deepEqual((await countImage(gif, 'gif'))?.features, ['animation', 'transparency'])
  assert.deepEqual((await countImage(fixture('corners.jpg'), 'jpg'))?.counts, { frames: 1 })
  const cutFile = join(folder, 'cut.png')
  const png = await readFile(fixture('alpha.png'))
  await writeFile(cutFile, png.subarray(0, png.length / 2))
  assert.equal(await countImage(cutFile, 'png'), undefined)
  const text = join(folder, 'text.txt')
  await writeFile(text, 'some words')
  assert.equal(await countImage(text, 'png'), undefined)
  assert.equal(await countImage(text, 'txt'), undefined)
})

test('images whose frames an engine process has counted are not read again by the loss detector', async () => {
  const { result, path, workDir } = await convert(vips, fixture('alpha.png'), 'webp')
  const input = join(workDir, 'source-1.png')
  assert.deepEqual([...(result.images?.keys() ?? [])].toSorted(), [path, input].toSorted())
  for (const file of [path, input]) await rm(file)
  using detector = new LossDetector(log)
  detector.start([{ path: input, format: 'png' }])
  const step = { operation: 'convert', from: 'png', to: 'webp', options: {} } as const
  await detector.checkStep(step, result, [])
  assert.deepEqual(detector.fidelity, { frames: { source: 1, result: 1, share: 1 }, dropped: [] })
  await requireReadable(step, result, log)
})
