import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import * as z from 'zod'
import type { Operation } from '../../lib/engines/engine.ts'
import { pdf } from '../../lib/engines/pdf.ts'
import { AppError, type ErrorCode } from '../../lib/errors.ts'
import { output, pdfPages, pdfText, zipNames } from './judge.ts'
import { bookOf, pdfOf, shelf } from './pdf-maker.ts'
import { convert, fixture, type Run, type RunSettings, removeRuns } from './run-engine.ts'

let books: Awaited<ReturnType<typeof shelf>>

before(async () => {
  books = await shelf({ 'alpha.pdf': bookOf('Alpha'), 'beta.pdf': bookOf('Beta') })
})

after(async () => {
  await books.remove()
  await removeRuns()
})

const book = () => books.path('alpha.pdf')

function run(
  operation: Operation,
  options: RunSettings['options'] = {},
  source = book(),
  settings: RunSettings = {},
): Promise<Run> {
  return convert(pdf, source, 'pdf', { operation, options, ...settings })
}

async function refused(running: Promise<unknown>, code: ErrorCode, sentence: RegExp): Promise<void> {
  await assert.rejects(running, (error) => {
    assert.ok(error instanceof AppError, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, sentence)
    return true
  })
}

/** `Alpha page3` of each page that says so, in order. */
const pageNames = async (path: string, ...args: string[]) =>
  [...(await output('pdftotext', ...args, path, '-')).matchAll(/\w+ page\d/g)].map(([name]) => name)

interface Item {
  title: string
  page: number | null
  kids: Item[]
}
const Item: z.ZodType<Item> = z.lazy(() =>
  z
    .object({ title: z.string(), destpageposfrom1: z.int().nullable(), kids: z.array(Item) })
    .transform(({ title, destpageposfrom1, kids }) => ({
      title: title.replace(/^u:/, ''),
      page: destpageposfrom1,
      kids,
    })),
)

/** The outline by qpdf's own reading of it: `[title, page, children]`. */
async function outlineOf(path: string): Promise<unknown[]> {
  const { outlines } = z
    .object({ outlines: z.array(Item) })
    .parse(JSON.parse(await output('qpdf', '--json', '--json-key=outlines', path)))
  const brief = ({ title, page, kids }: Item): unknown[] => [title, page, ...kids.map(brief)]
  return outlines.map(brief)
}

const Dump = z.object({
  pages: z.array(z.object({ object: z.string() })),
  qpdf: z.tuple([z.unknown(), z.record(z.string(), z.looseObject({ value: z.unknown().optional() }))]),
})
const PageDict = z.looseObject({ '/Annots': z.array(z.string()) })
const LinkDict = z.looseObject({ '/Dest': z.tuple([z.string()], z.unknown()).optional() })

/** Pages that the links of a page lead to. */
async function linksOf(path: string, page: number): Promise<number[]> {
  const dump = Dump.parse(
    JSON.parse(await output('qpdf', '--json', '--json-key=pages', '--json-key=qpdf', path)),
  )
  const pages = dump.pages.map(({ object }) => object)
  const value = (ref: string | undefined) => dump.qpdf[1][`obj:${ref}`]?.value
  const annotations = PageDict.parse(value(pages[page - 1]))['/Annots']
  const places = annotations.map((ref) => LinkDict.parse(value(ref))['/Dest']?.[0])
  return places.flatMap((ref) => (ref === undefined ? [] : [pages.indexOf(ref) + 1]))
}

async function unpacked({ path, workDir }: Run): Promise<string> {
  const folder = join(workDir, 'unpacked')
  execFileSync('python3', ['-m', 'zipfile', '-e', path, folder])
  return folder
}

const isWhole = (path: string) => execFileSync('qpdf', ['--check', path], { stdio: 'pipe' })

describe('splitting a PDF', () => {
  test('without pages gives a file for each page and a list of them', async () => {
    const done = await run('split-pdf')
    assert.equal(done.format, 'zip')
    assert.deepEqual(done.result.details, { pages: 4, files: 4 })
    const folder = await unpacked(done)
    const names = ['page-001.pdf', 'page-002.pdf', 'page-003.pdf', 'page-004.pdf']
    assert.deepEqual(await zipNames(done.path), [...names, 'manifest.json'])
    for (const name of names) assert.equal(await pdfPages(join(folder, name)), 1)
    assert.deepEqual(await pageNames(join(folder, 'page-003.pdf')), ['Alpha page3'])
  })

  test('gives a file for each part, with nothing of the other pages in it', async () => {
    const done = await run('split-pdf', { pages: '3-2,last,3' })
    const folder = await unpacked(done)
    assert.deepEqual(readdirSync(folder).toSorted(), [
      'manifest.json',
      'page-003.pdf',
      'page-004.pdf',
      'pages-003-002.pdf',
    ])
    const both = join(folder, 'pages-003-002.pdf')
    assert.deepEqual(await pageNames(both), ['Alpha page3', 'Alpha page2'])
    assert.doesNotMatch(
      await output('qpdf', '--qdf', '--object-streams=disable', both, '-'),
      /page1|name-value/,
    )
  })

  test('of one part gives that file', async () => {
    const done = await run('split-pdf', { pages: '2-3' })
    assert.equal(done.format, 'pdf')
    assert.deepEqual(await pageNames(done.path), ['Alpha page2', 'Alpha page3'])
  })
})

describe('pages of a PDF', () => {
  test('are extracted in the order asked for, with links and outline that lead to them', async () => {
    const { path, result } = await run('extract-pdf-pages', { pages: '3,1' })
    assert.deepEqual(result.details, { pages: 2 })
    assert.deepEqual(await pageNames(path), ['Alpha page3', 'Alpha page1'])
    assert.deepEqual(await outlineOf(path), [
      ['Alpha one', 2],
      ['Alpha three', 1],
    ])
    assert.deepEqual(await linksOf(path, 2), [1])
    assert.match(await output('pdfinfo', path), /Title:\s+Alpha book/)
    isWhole(path)
  })

  test('that were left out are gone from the file, not only from sight', async () => {
    const { path } = await run('extract-pdf-pages', { pages: '2' })
    const inside = await output('qpdf', '--qdf', '--object-streams=disable', path, '-')
    assert.match(inside, /Alpha page2/)
    assert.doesNotMatch(inside, /Alpha page[13]|city-value|name-value/)
  })

  test('can be removed', async () => {
    const { path } = await run('remove-pdf-pages', { pages: '2,4' })
    assert.deepEqual(await pageNames(path), ['Alpha page1', 'Alpha page3'])
    assert.equal(await pdfPages(path), 2)
    await refused(run('remove-pdf-pages', { pages: '1-last' }), 'INVALID_INPUT', /leave at least one/)
  })

  test('take a new order, those not named behind in their old one', async () => {
    const { path } = await run('reorder-pdf-pages', { pages: '3,1' })
    assert.deepEqual(await pageNames(path), ['Alpha page3', 'Alpha page1', 'Alpha page2'])
    assert.equal(await pdfPages(path), 4)
    assert.deepEqual(await linksOf(path, 2), [1, 3])
    assert.deepEqual(await outlineOf(path), [
      ['Alpha one', 2],
      ['Alpha three', 1, ['Alpha two', 3]],
    ])
    await refused(run('reorder-pdf-pages', { pages: '1-3,2' }), 'INVALID_INPUT', /named twice/)
  })

  test('are turned, some or all', async () => {
    const turns = async (options: RunSettings['options']) =>
      [
        ...(await output('pdfinfo', '-f', '1', '-l', '4', (await run('rotate-pdf', options)).path)).matchAll(
          /rot:\s+(\d+)/g,
        ),
      ].map(([, turn]) => Number(turn))
    assert.deepEqual(await turns({ rotate: '90' }), [90, 90, 90, 90])
    assert.deepEqual(await turns({ rotate: -90, pages: '1,last' }), [270, 0, 0, 270])
  })

  test('that do not exist are refused', async () => {
    for (const operation of ['split-pdf', 'extract-pdf-pages', 'remove-pdf-pages', 'rotate-pdf'] as const) {
      await refused(run(operation, { pages: '2-9' }), 'INVALID_INPUT', /^pages: page 9 .* pages 1 to 4/)
    }
  })

  test('that are blank are removed, those with a mark on them stay', async () => {
    const { path, result } = await run('remove-blank-pages-pdf')
    assert.deepEqual(result.details, { pages: 3, removed: [4] })
    assert.deepEqual(await pageNames(path), ['Alpha page1', 'Alpha page2', 'Alpha page3'])
    const empty = pdfOf({
      1: '<< /Type /Catalog /Pages 2 0 R >>',
      2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] >>',
    })
    const blank = join((await run('split-pdf', { pages: '1' })).workDir, 'blank.pdf')
    await writeFile(blank, empty)
    await refused(run('remove-blank-pages-pdf', {}, blank), 'INVALID_INPUT', /none would be left/)
  })
})

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
    const { path: at, remove } = await shelf({})
    const old = at('old.pdf')
    const lock = ['--allow-weak-crypto', '--encrypt', 'user', 'owner', '40', '--print=n', '--']
    execFileSync('qpdf', [...lock, fixture('three-pages.pdf'), old])
    const { path } = await run('remove-pdf-pages', { password: 'owner', pages: '2' }, old)
    assert.match(await facts(path, '-upw', 'user'), /Pages:\s+2[\s\S]*print:no .*algorithm:RC4/)
    await assert.rejects(facts(path), /Incorrect password/)
    await remove()
  })

  test('loses its protection for the archive and in a merge, and says so', async () => {
    const archived = await run('to-pdfa', { password: 'secret' }, locked)
    assert.deepEqual(archived.warnings, ['ENCRYPTION_REMOVED'])
    const merged = await run('merge', { password: 'secret' }, book(), { more: [locked, locked] })
    assert.deepEqual(merged.warnings, ['ENCRYPTION_REMOVED'])
    assert.equal(await pdfPages(merged.path), 10)
  })
})

describe('PDFs that are merged', () => {
  const merge = (options: RunSettings['options'] = {}) =>
    run('merge', options, book(), {
      more: [books.path('beta.pdf'), fixture('three-pages.pdf')],
      names: ['First part.pdf', 'b.pdf', 'c.pdf'],
    })

  test('keep order, outlines, links and filled-in forms', async () => {
    const { path, result } = await merge()
    assert.deepEqual(result.details, { pages: 11, files: 3 })
    assert.deepEqual(
      await pageNames(path),
      [1, 2, 3].map((page) => `Alpha page${page}`).concat([1, 2, 3].map((page) => `Beta page${page}`)),
    )
    assert.deepEqual(await outlineOf(path), [
      ['Alpha one', 1],
      ['Alpha three', 3, ['Alpha two', 2]],
      ['Beta one', 5],
      ['Beta three', 7, ['Beta two', 6]],
    ])
    assert.deepEqual(await linksOf(path, 1), [3, 2])
    assert.deepEqual(await linksOf(path, 5), [7, 6])
    const form = await output('qpdf', '--json', '--json-key=acroform', path)
    for (const value of ['Alpha-name-value', 'Alpha-city-value', 'Beta-name-value', 'Beta-city-value']) {
      assert.match(form, new RegExp(`"value": "u:${value}"`))
    }
    isWhole(path)
  })

  test('have an outline by file, or none, when that is asked for', async () => {
    assert.deepEqual(await outlineOf((await merge({ outline: 'per_file' })).path), [
      ['First part', 1, ['Alpha one', 1], ['Alpha three', 3, ['Alpha two', 2]]],
      ['b', 5, ['Beta one', 5], ['Beta three', 7, ['Beta two', 6]]],
      ['c', 9],
    ])
    assert.deepEqual(await outlineOf((await merge({ outline: 'none' })).path), [])
  })
})

test('a merge can also be asked for as a tool', async () => {
  const { path } = await run('merge-pdf', {}, book(), { more: [books.path('beta.pdf')] })
  assert.equal(await pdfPages(path), 8)
})

test('it is said when the structure for screen readers is lost', async () => {
  const { path, remove } = await shelf({
    'tagged.pdf': pdfOf({
      1: '<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 5 0 R >>',
      2: '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 99 99] >>',
      3: '<< /Type /Page /Parent 2 0 R >>',
      4: '<< /Type /Page /Parent 2 0 R >>',
      5: '<< /Type /StructTreeRoot /K 6 0 R >>',
      6: '<< /Type /StructElem /S /P /P 5 0 R /Pg 3 0 R /ActualText (words of page one) >>',
    }),
  })
  const dropped = await run('extract-pdf-pages', { pages: '2' }, path('tagged.pdf'))
  assert.deepEqual(dropped.warnings, ['TAGS_REMOVED'])
  assert.doesNotMatch(await output('qpdf', '--qdf', dropped.path, '-'), /words of page one/)
  const kept = await run('reorder-pdf-pages', { pages: '2' }, path('tagged.pdf'))
  assert.deepEqual(kept.warnings, [])
  assert.match(await output('pdfinfo', kept.path), /Tagged:\s+yes/)
  await remove()
})

describe('every PDF tool', () => {
  const needed: Partial<Record<Operation, RunSettings['options']>> = {
    'encrypt-pdf': { password: 'x' },
    'extract-pdf-pages': { pages: '1' },
    'remove-pdf-pages': { pages: '1' },
    'reorder-pdf-pages': { pages: '1' },
    'add-watermark-pdf': { watermarkText: 'x' },
    'edit-pdf-metadata': { title: 'x' },
    'crop-pdf': { marginTop: '1mm' },
    'redact-pdf': { terms: 'x' },
  }
  const operations = pdf.capabilities.flatMap(({ operation, to }) =>
    operation !== 'convert' && to.includes('pdf') ? [operation] : [],
  )

  test('answers garbage and half a file with a coded error', async () => {
    const { path: folder, remove } = await shelf({
      'garbage.pdf': Buffer.from(`%PDF-1.7\n${'garbage '.repeat(500)}`),
      'half.pdf': (await readFile(fixture('needs-password.pdf'))).subarray(0, 250),
    })
    for (const operation of operations) {
      for (const name of ['garbage.pdf', 'half.pdf']) {
        const more = operation.startsWith('merge') ? [book()] : []
        await assert.rejects(
          run(operation, needed[operation], folder(name), { more }),
          (error) => {
            assert.ok(error instanceof AppError, `${operation} of ${name}: ${String(error)}`)
            assert.match(error.code, /CORRUPT_FILE|PDF_ENCRYPTED/)
            return true
          },
          `${operation} of ${name}`,
        )
      }
    }
    await remove()
  })

  test('tells that a signature no longer holds', async () => {
    const signed = bookOf('Alpha')
      .toString('latin1')
      .replace('/Type /Annot', '/ByteRange [0 1 2 3] /Type /Annot')
    const { path, remove } = await shelf({ 'signed.pdf': Buffer.from(signed, 'latin1') })
    for (const operation of ['rotate-pdf', 'linearize-pdf', 'encrypt-pdf'] as const) {
      const { warnings } = await run(operation, needed[operation], path('signed.pdf'))
      assert.deepEqual(warnings, ['SIGNATURE_INVALID'], operation)
    }
    await remove()
  })
})
