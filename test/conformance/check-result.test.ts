import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import sharp from 'sharp'
import type { FormatId } from '../../lib/formats/index.ts'
import { fixture } from '../engines/support/run-engine.ts'
import { planRoute } from '../plan/with-all-engines.ts'
import { checkResult } from './check-result.ts'

const run = promisify(execFile)
let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'judgement-'))
})
after(() => rm(folder, { recursive: true }))

/** Returns the verdict on a file as the result of converting the sample. */
function checkConversion(from: FormatId, to: FormatId, sample: string, name: string): Promise<string> {
  const routeResult = { path: join(folder, name), format: to, warnings: [] }
  return checkResult({ from, to, route: planRoute({ from, to }) }, sample, routeResult)
}

describe('the verification of conversion results', () => {
  test('the check of conversion results accepts an image of the same size, and rejects blank images and other aspect ratios', async () => {
    const source = fixture('corners.png')
    await sharp(source).flatten().jpeg().toFile(join(folder, 'good.jpg'))
    await sharp(source).flatten().resize(80, 30, { fit: 'fill' }).jpeg().toFile(join(folder, 'wide.jpg'))
    const plainImage = { width: 40, height: 30, channels: 3, background: '#fff' } as const
    await sharp({ create: plainImage }).jpeg().toFile(join(folder, 'blank.jpg'))
    assert.match(await checkConversion('png', 'jpg', source, 'good.jpg'), /size=40x30/)
    await assert.rejects(checkConversion('png', 'jpg', source, 'wide.jpg'), /40x30 became 80x30/)
    await assert.rejects(checkConversion('png', 'jpg', source, 'blank.jpg'), /blank/)
  })

  test('the check of conversion results rejects audio that is cut off or silent', async () => {
    const source = fixture('tone.wav')
    const ffmpeg = (...args: string[]) => run('ffmpeg', ['-nostdin', '-v', 'error', '-i', source, ...args])
    await ffmpeg(join(folder, 'good.flac'))
    await ffmpeg('-t', '0.2', join(folder, 'cut.flac'))
    await ffmpeg('-af', 'volume=0', join(folder, 'silent.flac'))
    assert.match(await checkConversion('wav', 'flac', source, 'good.flac'), /^seconds=\d/)
    await assert.rejects(checkConversion('wav', 'flac', source, 'cut.flac'), /it plays 0\.2 s of/)
    await assert.rejects(checkConversion('wav', 'flac', source, 'silent.flac'), /silent/)
  })

  test('the check of conversion results rejects a document with missing words', async () => {
    await writeFile(
      join(folder, 'page.html'),
      '<html><body><p>Seven wonderful words about apples</p></body></html>',
    )
    await writeFile(join(folder, 'good.txt'), 'Seven wonderful\nwords about apples')
    await writeFile(join(folder, 'empty.txt'), 'Seven')
    const page = join(folder, 'page.html')
    assert.match(await checkConversion('html', 'txt', page, 'good.txt'), /words=5\/5/)
    await assert.rejects(checkConversion('html', 'txt', page, 'empty.txt'), /only 1 of 5 words/)
  })

  test('the check of conversion results rejects an archive with a missing file', async () => {
    for (const name of ['one.txt', 'two.txt']) await writeFile(join(folder, name), name)
    const pack = (name: string, ...files: string[]) =>
      run('bsdtar', ['-a', '-cf', join(folder, name), '-C', folder, ...files])
    await pack('source.zip', 'one.txt', 'two.txt')
    await pack('good.tar', 'one.txt', 'two.txt')
    await pack('less.tar', 'one.txt')
    const source = join(folder, 'source.zip')
    assert.match(await checkConversion('zip', 'tar', source, 'good.tar'), /names=2/)
    await assert.rejects(checkConversion('zip', 'tar', source, 'less.tar'), /two\.txt is not in it/)
  })
})
