import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { vips } from '../../../lib/engines/vips.ts'
import { convert, fixture } from '../support/run-engine.ts'

test('every page of a TIFF becomes a page of a DjVu file, and the progress counts the pages', async () => {
  const { path, result, progress } = await convert(vips, fixture('pages.tiff'), 'djvu')
  assert.deepEqual(result.details, { pages: 3, frames: 3 })
  assert.equal(execFileSync('djvused', ['-e', 'n', path], { encoding: 'utf8' }).trim(), '3')
  assert.deepEqual(
    progress.filter((ratio) => ratio > 0.3 && ratio < 0.95).map((ratio) => ratio.toFixed(1)),
    ['0.5', '0.7', '0.9'],
  )
})
