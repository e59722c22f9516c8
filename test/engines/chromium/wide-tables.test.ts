import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { chromium } from '../../../lib/engines/chromium.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert } from '../support/run-engine.ts'

const folder = scratchFolder('wide-tables')

after(() => chromium.close?.())

const createTable = (columns: number, style = '') => {
  const cells = Array.from({ length: columns }, (_, at) => `<td>column${at}</td>`).join('')
  return `<table style="${style}"><tr>${cells}</tr></table>`
}

/** Prints a page and returns the orientation of each page, and the last column with its right edge in points. */
async function print(name: string, body: string, options: object = {}) {
  const source = join(folder, `${name}.html`)
  await writeFile(source, `<!doctype html><title>t</title><p>before</p>${body}<p>after</p>`)
  const { path } = await convert(chromium, source, 'pdf', { options: { ...options } })
  const sizes = await readStdout('pdfinfo', '-l', '9', path)
  const pages = [...sizes.matchAll(/size: +([\d.]+) x ([\d.]+)/g)].map(([, width, height]) =>
    Number(width) > Number(height) ? 'landscape' : 'portrait',
  )
  const words = await readStdout('pdftotext', '-bbox', path, '-')
  const columns = [...words.matchAll(/xMax="([\d.]+)" yMax="[\d.]+">(column\d+)</g)]
  return { pages, column: columns.at(-1)?.[2], right: Number(columns.at(-1)?.[1]) }
}

test('a very wide table is printed on landscape pages of its own', async () => {
  const { pages, column, right } = await print('very-wide', createTable(22))
  assert.deepEqual(pages, ['portrait', 'landscape', 'portrait'])
  assert.equal(column, 'column21')
  assert.ok(right > 700 && right < 842, String(right))
})

test('a table stays on the page of its text if it fits or is only a little too wide', async () => {
  for (const columns of [5, 14]) {
    const { pages, column } = await print(`columns-${columns}`, createTable(columns))
    assert.deepEqual([pages, column], [['portrait'], `column${columns - 1}`])
  }
})

test('a very wide table shrinks to the paper if the client or the page chose the paper, or if the table is positioned or in a flexbox', async () => {
  const prints = [
    await print('chosen', createTable(22), { pageSize: 'A4' }),
    await print('own-paper', `<style>@page { size: A4 }</style>${createTable(22)}`),
    await print('positioned', createTable(22, 'position:absolute')),
    await print('flex', `<div style="display:flex">${createTable(22)}</div>`),
  ]
  for (const { pages, right } of prints) {
    assert.deepEqual(pages, ['portrait'])
    assert.ok(right < 595, String(right))
  }
})
