import assert from 'node:assert/strict'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { engines } from '../../lib/engines/index.ts'
import { hasFlacFrame } from '../../lib/formats/detect/flac-frames.ts'
import { convertAndCleanUp } from './support/convert-and-clean-up.ts'
import { readQuarterColors } from './support/corner-colors.ts'
import { readStdout } from './support/inspect-result.ts'
import { fixture } from './support/run-engine.ts'

// Tests files from make-odd-media.ts whose data begins where some programs do not expect it.

after(() => Promise.all(engines.map((engine) => engine.close?.())))

for (const name of ['http-header', 'fill-byte', 'junk-after-start', 'junk-between-segments'])
  test(`a JPEG with extra bytes is read: ${name}`, async () => {
    const { path, from, codes } = await convertAndCleanUp(fixture(`odd/${name}.jpg`), 'png')
    assert.deepEqual([from, codes, await readQuarterColors(path)], ['jpg', [], 'RGBx'])
  })

test('a JPEG whose Huffman table has zeros in place of its symbols causes a warning', async () => {
  const bytes = await readFile(fixture('odd/http-header.jpg'))
  const source = join(await mkdtemp(join(tmpdir(), 'damaged-jpeg-')), 'damaged.jpg')
  await writeFile(source, bytes.fill(0, 253, 266))
  const { codes } = await convertAndCleanUp(source, 'png')
  assert.deepEqual(codes, ['MAY_BE_DAMAGED'])
})

for (const name of ['frames', 'unknown-start'])
  test(`a FLAC file without its header is read: ${name}`, async () => {
    const { path, from, codes } = await convertAndCleanUp(fixture(`odd/${name}.flac`), 'wav')
    assert.deepEqual([from, codes], ['flac', []])
    const show = ['-show_entries', 'format=duration:stream=sample_rate,channels', '-of', 'csv=p=0']
    assert.equal(await readStdout('ffprobe', '-v', 'error', ...show, path), '8000,1\n1.000000\n')
  })

test('frames of other audio formats are not taken for FLAC frames', () => {
  assert.equal(hasFlacFrame(Buffer.from('fffb9064000000000000000000000000fff15080', 'hex')), false)
  assert.equal(hasFlacFrame(Buffer.from('fff86908', 'hex')), false)
})
