import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { fixture } from '../engines/run-engine.ts'
import { detected } from './detected.ts'

const bytesOf = (name: string) => readFile(fixture(name))

async function bitmap(coder: 'bmp2' | 'bmp3'): Promise<Buffer> {
  const args = [fixture('corners.png'), '-alpha', 'off', `${coder}:-`]
  const { stdout } = await promisify(execFile)('convert', args, { encoding: 'buffer' })
  return stdout
}

test('a binary workbook is known by its content, whatever it is called', async () => {
  const bytes = await bytesOf('fruit.xlsb')
  for (const name of ['fruit.xlsb', 'fruit.xlsx', 'fruit']) assert.equal(await detected(name, bytes), 'xlsb')
})

test('a Uniform Office file says itself whether it is a text or a presentation', async () => {
  const uniform = (type: string) =>
    `<?xml version="1.0"?>\n<uof:UOF xmlns:uof="http://schemas.uof.org/cn/2003/uof" uof:mimetype="vnd.uof.${type}"></uof:UOF>`
  assert.equal(await detected('a.uot', uniform('text')), 'uot')
  assert.equal(await detected('a.uop', uniform('presentation')), 'uop')
  await assert.rejects(detected('a.uot', uniform('text').slice(0, -4)), { code: 'CORRUPT_FILE' })
})

test('a bitmap is of the kind that its name says', async () => {
  assert.equal(await detected('a.bmp2', await bitmap('bmp2')), 'bmp2')
  assert.equal(await detected('a.bmp3', await bitmap('bmp3')), 'bmp3')
  assert.equal(await detected('a.bmp', await bitmap('bmp2')), 'bmp')
})

test('an XHTML page is read as a page', async () => {
  const page = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>Apple</body></html>'
  assert.equal(await detected('a.xhtml', page), 'html')
  assert.equal(await detected('a.xhtml', '<h1>Apple</h1><p>Only a part of a page.</p>'), 'html')
})
