import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { closeTableTags } from '../../../lib/engines/pandoc/close-table-tags.ts'
import { pandoc } from '../../../lib/engines/pandoc.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convert } from '../support/run-engine.ts'

test('omitted end tags of HTML table cells, rows and sections are added', () => {
  const closedTables: Readonly<Record<string, string>> = {
    '<table><tr><td>a<td>b<tr><th>c</table>':
      '<table><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr></table>',
    '<TABLE><THEAD><TR><TH>h<TBODY><TR><TD x=y>a</TABLE>':
      '<TABLE><THEAD><TR><TH>h</th></tr></thead><TBODY><TR><TD x=y>a</td></tr></tbody></TABLE>',
    '<table><td>a<td>b</table>': '<table><tr><td>a</td><td>b</td></tr></table>',
    '<table><tbody><tr><td>a</tbody></table>': '<table><tbody><tr><td>a</td></tr></tbody></table>',
    '<table><tr><td>a<table><tr><td>in</table>b<td>c</table>':
      '<table><tr><td>a<table><tr><td>in</td></tr></table>b</td><td>c</td></tr></table>',
  }
  for (const [html, expectedHtml] of Object.entries(closedTables))
    assert.equal(closeTableTags(html), expectedHtml)
})

test('complete HTML tables and other content stay unchanged', () => {
  const pages = [
    '<table><caption>c</caption><thead><tr><th>a</th></tr></thead><tfoot><tr><td>f</td></tr></tfoot></table>',
    '<p>a<td>b</p></table>',
    '<table><tr><td><!-- <td>no<tr> --></td></tr></table>',
    '<script>"<table><td>"</script><style>a::after { content: "<table><td>" }</style><!-- <table><td>',
  ]
  for (const html of pages) assert.equal(closeTableTags(html), html)
})

test('a web page without end tags in its table keeps the table in text and Markdown', async () => {
  const path = join(scratchFolder('tables'), 'a.html')
  await writeFile(path, '<title>T</title><table><tr><td>one<td>two<tr><td>three<td>four</table><p>After')
  const convertToText = async (to: 'txt' | 'md') => readFile((await convert(pandoc, path, to)).path, 'utf8')
  assert.match(await convertToText('txt'), /one\ttwo\nthree\tfour\n/)
  assert.match(await convertToText('md'), /\| one +\| two +\|\n\| three +\| four +\|/)
})
