import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Operation } from '../../../lib/model/operations.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { countPdfPages, readPdfText, readStdout } from '../support/inspect-result.ts'
import { createBook, writeFiles } from '../support/pdf-maker.ts'
import { fixture, type RunSettings } from '../support/run-engine.ts'
import { createToolRunner } from '../support/run-pdf-tool.ts'

const getPath = await writeFiles({
  'alpha.pdf': createBook('Alpha'),
})
const book = getPath('alpha.pdf')
const run = createToolRunner(book)

describe('PDF encryption', () => {
  const lockedPath = fixture('needs-password.pdf')
  const pdfinfo = (path: string, ...args: string[]) => readStdout('pdfinfo', ...args, path)

  test('encrypt-pdf uses AES-256, requires the password and restricts permissions', async () => {
    const password = '-ä "b" '
    const { path, workDir } = await run('encrypt-pdf', {
      password,
      allowCopying: 'false',
      allowPrinting: false,
    })
    await assert.rejects(pdfinfo(path), /Incorrect password/)
    const info = await pdfinfo(path, '-upw', password)
    assert.match(info, /print:no copy:no change:yes addNotes:yes algorithm:AES-256/)
    await assert.rejects(pdfinfo(path, '-opw', password), /Incorrect password/)
    for (const name of await readdir(workDir)) {
      if (name !== 'out') assert.ok(!(await readFile(join(workDir, name))).includes(password), name)
    }
  })

  test('decrypt-pdf requires the correct password', async () => {
    const { path } = await run('decrypt-pdf', { password: 'secret' }, lockedPath)
    assert.match(await pdfinfo(path), /Encrypted:\s+no/)
    assert.match(await readPdfText(path), /alphamarker/)
    await assertRefused(run('decrypt-pdf', {}, lockedPath), 'PDF_ENCRYPTED', /is encrypted/)
    await assertRefused(
      run('decrypt-pdf', { password: 'no' }, lockedPath),
      'PDF_ENCRYPTED',
      /cannot be opened with the password/,
    )
  })

  test('decrypt-pdf removes the restrictions of a PDF that opens without a password', async () => {
    const { path, warnings } = await run('decrypt-pdf', {}, fixture('owner-password.pdf'))
    assert.match(await pdfinfo(path), /Encrypted:\s+no/)
    assert.deepEqual(warnings, [])
    assert.deepEqual((await run('decrypt-pdf')).warnings, ['NOTHING_TO_DO'])
  })

  test('an encrypted PDF stays encrypted when a PDF tool changes it', async () => {
    const cases: readonly [Operation, RunSettings['options']][] = [
      ['rotate-pdf', {}],
      ['extract-pdf-pages', { pages: '1' }],
      ['add-page-numbers-pdf', {}],
      ['split-pdf', { pages: '2' }],
      ['linearize-pdf', {}],
    ]
    for (const [operation, options] of cases) {
      const { path } = await run(operation, { password: 'secret', ...options }, lockedPath)
      await assert.rejects(pdfinfo(path), /Incorrect password/, operation)
      assert.match(await pdfinfo(path, '-upw', 'secret'), /algorithm:AES-256/, operation)
    }
  })

  test('repair-pdf keeps the password of a damaged PDF', async () => {
    const intactPdf = await readFile(lockedPath, 'latin1')
    const damagedPdf = Buffer.from(intactPdf.replace(/^\d{10} 00000 n/gm, '0000000007 00000 n'), 'latin1')
    const damagedPath = (await writeFiles({ 'damaged.pdf': damagedPdf }))('damaged.pdf')
    const { path, warnings } = await run('repair-pdf', { password: 'secret' }, damagedPath)
    await assert.rejects(pdfinfo(path), /Incorrect password/)
    assert.match(await pdfinfo(path, '-upw', 'secret'), /algorithm:AES-256/)
    assert.deepEqual(warnings, [])
    assert.match(await pdfinfo((await run('repair-pdf')).path), /Encrypted:\s+no/)
  })

  test('remove-pdf-pages keeps the old cipher of an encrypted PDF and accepts its owner password', async () => {
    const oldPdf = (await writeFiles({}))('old.pdf')
    const encryptArgs = ['--allow-weak-crypto', '--encrypt', 'user', 'owner', '40', '--print=n', '--']
    execFileSync('qpdf', [...encryptArgs, fixture('three-pages.pdf'), oldPdf])
    const { path } = await run('remove-pdf-pages', { password: 'owner', pages: '2' }, oldPdf)
    assert.match(await pdfinfo(path, '-upw', 'user'), /Pages:\s+2[\s\S]*print:no .*algorithm:RC4/)
    await assert.rejects(pdfinfo(path), /Incorrect password/)
  })

  test('to-pdfa and PDF merges remove encryption and warn about it', async () => {
    const pdfaRun = await run('to-pdfa', { password: 'secret' }, lockedPath)
    assert.deepEqual(pdfaRun.warnings, ['ENCRYPTION_REMOVED'])
    const mergedPdf = await run('merge', { password: 'secret' }, book, { more: [lockedPath, lockedPath] })
    assert.deepEqual(mergedPdf.warnings, ['ENCRYPTION_REMOVED'])
    assert.equal(await countPdfPages(mergedPdf.path), 10)
  })
})
