import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pandoc } from '../../../lib/engines/pandoc.ts'
import { inlineFrames } from '../../../lib/engines/shared/text/inline-frames.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convert } from '../support/run-engine.ts'

test('the document of an inline frame is moved into the page without its head', () => {
  const frame = `<!doctype html><html><head><title>no</title></head><body><p id=&quot;x&quot;>&amp;auml; &#x3c;b>`
  assert.equal(
    inlineFrames(`a<IFRAME class="b" srcdoc = "${frame}"></IFRAME>c`),
    'a<div><p id="x">&auml; <b></div><iframe class="b"></IFRAME>c',
  )
  const nestedFrame = `<iframe srcdoc='<iframe srcdoc="&lt;b>in"/>'></iframe>`
  assert.equal(inlineFrames(nestedFrame), '<div><div><b>in</div><iframe/></div><iframe></iframe>')
})

test('inline frames without a document and in scripts or comments stay unchanged', () => {
  const page = `<script>'<iframe srcdoc="a">'</script><!-- <iframe srcdoc="a"> --><iframe src="b"></iframe>`
  assert.equal(inlineFrames(page), page)
})

test('pandoc keeps the text of inline frames of a web page', async () => {
  const path = join(scratchFolder('frames'), 'page.html')
  await writeFile(path, '<p>outside</p><iframe srcdoc="<p>otters</p>"></iframe>')
  assert.match(await readFile((await convert(pandoc, path, 'txt')).path, 'utf8'), /otters/)
})
