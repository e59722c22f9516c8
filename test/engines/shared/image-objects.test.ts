import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { readSummary } from '../../../lib/decoders/read-summary.ts'
import { pandoc } from '../../../lib/engines/pandoc.ts'
import { replaceImageObjects } from '../../../lib/engines/shared/text/image-objects.ts'
import { writePage } from '../support/chromium-pages.ts'
import { convert } from '../support/run-engine.ts'

const url = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')}`

test('an object or embed element with an image as a data URL becomes an image', () => {
  const image = `<img src="${url}" width="9"`
  for (const [element, replacement] of [
    [`<object data="${url}" width="9">a <b>"b"</b></object>`, `${image} alt="a b">`],
    [`<OBJECT data="${url}" width="9"><object data="${url}">a</object></OBJECT>`, `${image} alt="a">`],
    [`<object data="${url}" width="9"><embed src="${url}"></object>`, `${image}>`],
    [
      `<object data="x.svg"><embed src="${url}" width="9"/></object>`,
      `<object data="x.svg">${image}></object>`,
    ],
  ] as const)
    assert.equal(replaceImageObjects(`<p>${element}</p>`), `<p>${replacement}</p>`)
})

test('objects without an image, without an end tag or in scripts and comments stay unchanged', () => {
  const object = `<object data="${url}">`
  const page = `<script>'${object}</object>'</script><!-- ${object}</object> --><object data="x.png">a</object><embed src="x.png">`
  assert.equal(replaceImageObjects(page), page)
  assert.equal(replaceImageObjects(`</object>${object}text`), `</object>${object}text`)
})

test('thousands of nested objects are replaced quickly', () => {
  const startedAtMs = performance.now()
  const depth = 20_000
  replaceImageObjects('<object data="data:image/png">'.repeat(depth) + '</object>'.repeat(depth))
  assert.ok(performance.now() - startedAtMs < 5000)
})

test('Markdown of a web page contains images in objects, and the fallback content of missing objects', async () => {
  const path = await writePage(
    `<p>outside</p><object data="missing.svg"><p>otters</p></object><object data="${url}">badgers</object>`,
    'objects.html',
  )
  const markdown = await readFile((await convert(pandoc, path, 'md')).path, 'utf8')
  assert.match(markdown, /outside\s+otters\s+!\[badgers\]\(data:image\/svg\+xml;base64/)
})

test('the fallback content of an object in another file is counted, and that of an embedded object is not', async () => {
  const png = `data:image/png;base64,${'A'.repeat(200)}`
  const path = await writePage(
    `<p>outside</p><object data="missing.svg">otters</object><object data="${png}">badgers</object><embed src="${png}">`,
    'counted.html',
  )
  const summary = await readSummary(path, 'html', { isResult: false })
  assert.deepEqual([summary?.words?.total, summary?.counts.images], [2, 2])
})
