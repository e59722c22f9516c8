import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Operation } from '../../lib/engines/engine.ts'
import { refused } from '../assert-refused.ts'
import { output, pdfPages, pdfText } from './judge.ts'
import { bookOf, shelf } from './pdf-maker.ts'
import { fixture, type RunSettings } from './run-engine.ts'
import { toolsOn } from './run-pdf-tool.ts'

const pathOf = await shelf({
  'alpha.pdf': bookOf('Alpha'),
})
const book = pathOf('alpha.pdf')
const run = toolsOn(book)

describe('a protected PDF', () => {
  const locked = fixture('needs-password.pdf')
  const facts = (path: string, ...args: string[]) => output('pdfinfo', ...args, path)

  test('is made with AES-256, opens with its password only and says what is forbidden', async () => {
    const password = '-ä "b" '
    const { path, workDir } = await run('encrypt-pdf', {
      password,
      allowCopying: 'false',
      allowPrinting: false,
    })
    await assert.rejects(facts(path), /Incorrect password/)
    const told = await facts(path, '-upw', password)
    assert.match(told, /print:no copy:no change:yes addNotes:yes algorithm:AES-256/)
    await assert.rejects(facts(path, '-opw', password), /Incorrect password/)
    for (const name of await readdir(workDir)) {
      if (name !== 'out') assert.ok(!(await readFile(join(workDir, name))).includes(password), name)
    }
  })

  test('opens with its password, and with no other', async () => {
    const { path } = await run('decrypt-pdf', { password: 'secret' }, locked)
    assert.match(await facts(path), /Encrypted:\s+no/)
    assert.match(await pdfText(path), /alphamarker/)
    await refused(run('decrypt-pdf', {}, locked), 'PDF_ENCRYPTED', /needs a password/)
    await refused(run('decrypt-pdf', { password: 'no' }, locked), 'PDF_ENCRYPTED', /does not open/)
  })

  test('that is only restricted is freed without a password', async () => {
    const { path, warnings } = await run('decrypt-pdf', {}, fixture('owner-password.pdf'))
    assert.match(await facts(path), /Encrypted:\s+no/)
    assert.deepEqual(warnings, [])
    assert.deepEqual((await run('decrypt-pdf')).warnings, ['NOTHING_TO_DO'])
  })

  test('stays protected when a tool changes it', async () => {
    const cases: readonly [Operation, RunSettings['options']][] = [
      ['rotate-pdf', {}],
      ['extract-pdf-pages', { pages: '1' }],
      ['add-page-numbers-pdf', {}],
      ['split-pdf', { pages: '2' }],
      ['linearize-pdf', {}],
    ]
    for (const [operation, options] of cases) {
      const { path } = await run(operation, { password: 'secret', ...options }, locked)
      await assert.rejects(facts(path), /Incorrect password/, operation)
      assert.match(await facts(path, '-upw', 'secret'), /algorithm:AES-256/, operation)
    }
  })

  test('keeps an old cipher, and opens with the password of its owner too', async () => {
    const old = (await shelf({}))('old.pdf')
    const lock = ['--allow-weak-crypto', '--encrypt', 'user', 'owner', '40', '--print=n', '--']
    execFileSync('qpdf', [...lock, fixture('three-pages.pdf'), old])
    const { path } = await run('remove-pdf-pages', { password: 'owner', pages: '2' }, old)
    assert.match(await facts(path, '-upw', 'user'), /Pages:\s+2[\s\S]*print:no .*algorithm:RC4/)
    await assert.rejects(facts(path), /Incorrect password/)
  })

  test('loses its protection for the archive and in a merge, and says so', async () => {
    const archived = await run('to-pdfa', { password: 'secret' }, locked)
    assert.deepEqual(archived.warnings, ['ENCRYPTION_REMOVED'])
    const merged = await run('merge', { password: 'secret' }, book, { more: [locked, locked] })
    assert.deepEqual(merged.warnings, ['ENCRYPTION_REMOVED'])
    assert.equal(await pdfPages(merged.path), 10)
  })
})
