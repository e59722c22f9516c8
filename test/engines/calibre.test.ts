import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { EbookOptions, ebookArgs } from '../../lib/engines/calibre/options.ts'
import { calibre, createCalibre } from '../../lib/engines/calibre.ts'
import type { Engine } from '../../lib/engines/engine.ts'
import { pandoc } from '../../lib/engines/pandoc.ts'
import { confinement } from '../../lib/engines/sandbox/isolation.ts'
import { holdingOf } from '../../lib/fidelity/read.ts'
import { Words } from '../../lib/fidelity/word-counts.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { assertRefused } from '../assert-refused.ts'
import { detected } from '../formats/detected.ts'
import { planRoute } from '../plan/with-all-engines.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { bookText } from './inspect-ebook.ts'
import { conformance } from './conformance.ts'
import { output, pdfPages } from './inspect-result.ts'
import { convert, fixture, type RunSettings } from './run-engine.ts'

const run = promisify(execFile)
const scratch = scratchFolder('calibre-test')
const { level, detail } = await confinement()
const waits = level === 'namespaces' ? {} : { skip: `needs bubblewrap, found ${detail}` }

async function kept(source: string, to: FormatId, name: string, engine = calibre): Promise<string> {
  const { path } = await convert(engine, source, to)
  await copyFile(path, join(scratch, name))
  return join(scratch, name)
}

const text = join(scratch, 'notes.md')
await writeFile(
  text,
  '---\ntitle: Field notes\nauthor: Ada Example\n---\n\n# Kingfisher\n\nA "blue" bird -- seen... twice by the river.\n',
)
const epub = await kept(text, 'epub', 'notes.epub', pandoc)
const mobi = await kept(epub, 'mobi', 'notes.mobi')
const azw3 = await kept(epub, 'azw3', 'notes.azw3')
const comic = join(scratch, 'comic.cbz')
await run('bsdtar', [...['--format=zip', '-cf', comic, '-C', fixture(''), 'corners.png', 'corners.jpg']])

/** Kinds that are not read more closely below; `npm run conformance` tries all. */
const rare: readonly FormatId[] = ['lit', 'htmlz']

conformance(calibre, {
  fixtures: { epub, azw3 },
  only: (from, to) => (from === 'epub' ? rare.includes(to) : to === 'epub'),
  garbage: ['epub', 'mobi', 'lit', 'pdb', 'docx', 'cbz'],
  long: { source: epub, to: 'azw3' },
})

async function converted(source: string, to: FormatId, settings: RunSettings = {}) {
  const made = await convert(calibre, source, to, settings)
  return { ...made, text: (await bookText(made.path)) ?? (await readFile(made.path, 'utf8')) }
}

describe('a book', { concurrency: 2 }, () => {
  test('says the same as a Kindle book, FictionBook or Palm book', async () => {
    for (const path of [mobi, azw3]) assert.match((await bookText(path)) ?? '', /by the river/)
    const source = await holdingOf(epub, 'epub', { isResult: false })
    const keeps = async (path: string, format: FormatId) => {
      const held = await holdingOf(path, format, { isResult: true })
      assert.equal(source?.words?.keptIn(held?.words ?? new Words()), source?.words?.total, format)
    }
    await Promise.all([keeps(mobi, 'mobi'), keeps(azw3, 'azw3')])
    for (const to of ['fb2', 'pdb'] as const) {
      const { path, text: words } = await converted(epub, to)
      assert.match(words, /Kingfisher/, to)
      assert.match(words, /by the river/, to)
      await keeps(path, to)
    }
  })

  test('keeps its title and author', async () => {
    for (const path of [mobi, azw3, (await convert(calibre, mobi, 'epub')).path]) {
      const meta = await output('ebook-meta', path)
      assert.match(meta, /Title +: Field notes/, path)
      assert.match(meta, /Author\(s\) +: Ada Example/, path)
    }
  })

  test('of a file without a title is called as the file was', async () => {
    const plain = join(scratch, 'plain.txt')
    await writeFile(plain, 'Words.\n\n![x](/etc/hostname)\n')
    const { path, text: words } = await converted(plain, 'epub', { names: ['Tom & <Jerry>.txt'] })
    assert.match(await output('ebook-meta', path), /Title +: Tom & <Jerry>/)
    assert.match(words, /!\[x\]\(\/etc\/hostname\)/)
  })

  test('of a document without a title is called as the file was, of one with a title as it says', async () => {
    const untitled = join(scratch, 'untitled.md')
    await writeFile(untitled, 'Words by the river.\n')
    const names = ['Tom & <Jerry>.docx']
    const docx = await kept(untitled, 'docx', 'untitled.docx', pandoc)
    const titled = await kept(text, 'docx', 'titled.docx', pandoc)
    const titleOf = async (source: string, engine: Engine) =>
      output('ebook-meta', (await convert(engine, source, 'epub', { names })).path)
    // The first calibre is started for its book, the second has waited for it.
    const own = createCalibre({ baseDir: scratch })
    assert.match(await titleOf(titled, own), /Title +: Field notes/)
    assert.match(await titleOf(docx, own), /Title +: Tom & <Jerry>/)
    await own.close?.()
  })

  test('of pictures has them as they were', async () => {
    const { path } = await convert(calibre, comic, 'epub')
    const { stdout } = await run('bsdtar', ['-xOf', path, '*corners.png'], { encoding: 'buffer' })
    assert.deepEqual(stdout, await readFile(fixture('corners.png')))
  })

  test('of pictures becomes a PDF with one to a page', async () => {
    const { path, result } = await convert(calibre, comic, 'pdf')
    assert.equal(await pdfPages(path), 2)
    assert.deepEqual(result.details, { pages: 2 })
    assert.match(await output('pdfimages', '-list', path), /jpeg/)
    const empty = join(scratch, 'empty.cbz')
    await run('bsdtar', ['--format=zip', '-cf', empty, '-C', scratch, 'notes.md'])
    await assert.rejects(convert(calibre, empty, 'pdf'), { code: 'CORRUPT_FILE' })
  })

  test('is made of a comic in another archive', async () => {
    // `npm run conformance` has the others.
    const path = join(scratch, 'comic.cb7')
    await run('bsdtar', ['--format=7zip', '-cf', path, '-C', fixture(''), 'corners.jpg'])
    const made = await convert(calibre, path, 'epub')
    assert.match(await output('bsdtar', '-tf', made.path), /corners\.jpg/)
  })
})

describe('a calibre that waits for a book', waits, () => {
  test('is there from the first book on, and goes with the book that it makes', async () => {
    const baseDir = await mkdtemp(join(scratch, 'waiting-'))
    const own = createCalibre({ baseDir })
    const readers = async () => (await readdir(baseDir)).filter((name) => name.startsWith('mutabor-book-'))
    assert.deepEqual(await readers(), [])
    await convert(own, epub, 'mobi')
    const [first] = await readers()
    assert.ok(first)
    const { path, workDir } = await convert(own, epub, 'mobi')
    assert.match((await bookText(path)) ?? '', /by the river/)
    const [second, ...more] = await readers()
    assert.deepEqual(more, [])
    assert.notEqual(second, first)
    // All that it unpacked was in its own folder.
    assert.deepEqual((await readdir(workDir)).sort(), ['out', 'source-1.epub'])
    await own.close?.()
    assert.deepEqual(await readers(), [])
  })

  test('refuses what one refuses that was started for it, and is no worse for it', async () => {
    const own = createCalibre({ baseDir: scratch })
    const rubbish = join(scratch, 'rubbish.epub')
    await writeFile(rubbish, 'no book')
    await convert(own, epub, 'azw3')
    const bytes = await readFile(mobi)
    bytes.writeUInt16BE(2, bytes.readUInt32BE(78) + 12)
    const locked = join(scratch, 'sold.mobi')
    await writeFile(locked, bytes)
    assert.equal((await assertRefused(convert(own, locked, 'epub'), 'UNSUPPORTED_FORMAT')).details?.reason, 'drm')
    await assert.rejects(convert(own, rubbish, 'mobi'), { code: 'CORRUPT_FILE' })
    assert.match((await bookText((await convert(own, epub, 'azw3')).path)) ?? '', /by the river/)
    await own.close?.()
  })
})

describe('the options of books', { concurrency: 2 }, () => {
  const sizesIn = (styles: string) =>
    [...styles.matchAll(/font-size: ?([\d.]+(?:em|pt))/g)].map(([, size]) => size).join()

  test('set each side, the size of the letters and typographic punctuation', async () => {
    const options = { ebookMargin: '10,20,30,40', ebookBaseFontSize: 30, ebookSmartenPunctuation: 'true' }
    const { text: styled } = await converted(epub, 'epub', { options })
    assert.match(styled, /margin-top: ?10(\.0)?pt/)
    assert.match(styled, /margin-bottom: ?20(\.0)?pt/)
    assert.match(styled, /“blue”/)
    const { text: usual } = await converted(epub, 'epub', { options: { ebookMargin: '33' } })
    assert.match(usual, /margin-bottom: ?33(\.0)?pt/)
    assert.notEqual(sizesIn(styled), sizesIn(usual))
  })

  test('are given to calibre in its own words, and nothing for what is not asked', () => {
    const { options } = planRoute({ from: 'epub', to: 'azw3' }).steps[0].capability
    const args = (given: object) => ebookArgs(EbookOptions.parse(options.parse(given)))
    assert.deepEqual(args({ ebookMargin: 7 }), [
      ...['--margin-top=7', '--margin-bottom=7', '--margin-left=7', '--margin-right=7'],
    ])
    assert.deepEqual(args({ ebookMargin: 'left:3' }), ['--margin-left=3'])
    const rest = {
      ...{ ebookOutputProfile: 'kindle_pw3', ebookBaseFontSize: 30, ebookEmbedFonts: true },
      ...{ ebookSmartenPunctuation: true, ebookDisableFontRescaling: true },
    }
    assert.deepEqual(args(rest), [
      ...['--output-profile=kindle_pw3', '--base-font-size=30', '--embed-all-fonts'],
      ...['--smarten-punctuation', '--disable-font-rescaling'],
    ])
    assert.deepEqual(args({ ebookEmbedFonts: false, ebookSmartenPunctuation: 'false' }), [])
  })

  test('embed the fonts that a book names', async () => {
    const page = join(scratch, 'page.html')
    await writeFile(page, '<h1>Kingfisher</h1><p>By the river.</p>')
    const named = join(scratch, 'named.htmlz')
    await writeFile(
      page.replace('page', 'index'),
      '<html><head><style>p { font-family: "DejaVu Serif" }</style></head><body><p>By the river.</p></body></html>',
    )
    await run('bsdtar', ['--format=zip', '-cf', named, '-C', scratch, 'index.html'])
    const { path } = await convert(calibre, named, 'epub', { options: { ebookEmbedFonts: true } })
    assert.match(await output('bsdtar', '-tf', path), /DejaVu.*\.ttf/)
  })

  test('that FictionBook has no place for are told', async () => {
    const { warnings } = await convert(calibre, epub, 'fb2', { options: { ebookMargin: 3 } })
    assert.deepEqual(warnings, ['OPTION_NOT_HELD'])
  })

  test('are refused when they make no sense', async () => {
    for (const options of [
      { ebookMargin: '1,2' },
      { ebookMargin: -1 },
      { ebookOutputProfile: 'papyrus' },
      { ebookBaseFontSize: 1 },
    ]) {
      await assert.rejects(convert(calibre, epub, 'epub', { options }), { name: 'ZodError' })
    }
  })
})

describe('a book that is protected by its seller', () => {
  const refusedAsProtected = async (call: Promise<unknown>) =>
    assert.equal((await assertRefused(call, 'UNSUPPORTED_FORMAT')).details?.reason, 'drm')

  test('is refused when it is sent, and by the engine', async () => {
    const bytes = await readFile(mobi)
    bytes.writeUInt16BE(2, bytes.readUInt32BE(78) + 12)
    await refusedAsProtected(detected('book.mobi', bytes))
    const path = join(scratch, 'locked.mobi')
    await writeFile(path, bytes)
    await refusedAsProtected(convert(calibre, path, 'epub'))
  })

  test('is told from one with fonts that only look protected', async () => {
    for (const [algorithm, isProtected] of [
      ['http://www.w3.org/2001/04/xmlenc#aes128-cbc', true],
      ['http://www.idpf.org/2008/embedding', false],
    ] as const) {
      const folder = await mkdtemp(join(scratch, 'drm-'))
      await run('bsdtar', ['-xf', epub, '-C', folder])
      await writeFile(
        join(folder, 'META-INF/encryption.xml'),
        `<encryption><EncryptedData><EncryptionMethod Algorithm="${algorithm}"/></EncryptedData></encryption>`,
      )
      const path = join(scratch, 'encrypted.epub')
      await run('bsdtar', ['--format=zip', '-cf', path, '-C', folder, 'mimetype', 'META-INF', 'EPUB'])
      const found = detected('book.epub', await readFile(path))
      if (isProtected) await refusedAsProtected(found)
      else assert.equal(await found, 'epub')
    }
  })
})

describe('a hostile book', () => {
  test('that would unpack to far more than its size is refused', async () => {
    const big = join(scratch, 'index.html')
    await writeFile(big, Buffer.alloc(90_000_000, 0x20))
    const path = join(scratch, 'bomb.htmlz')
    await run('bsdtar', ['--format=zip', '-cf', path, '-C', scratch, 'index.html'])
    await rm(big)
    await assert.rejects(convert(calibre, path, 'epub'), { code: 'FILE_TOO_LARGE' })
  })

  test('shows nothing of the machine', async () => {
    const secret = '/usr/share/common-licenses/GPL-3'
    const folder = await mkdtemp(join(scratch, 'hostile-'))
    const up = `../../../../../../../../..${secret}`
    await writeFile(
      join(folder, 'index.html'),
      `<p>Words.</p><a href="file://${secret}">a</a><a href="${up}">b</a><img src="${secret}"><iframe src="${up}"></iframe>`,
    )
    const path = join(scratch, 'hostile.htmlz')
    await run('bsdtar', ['--format=zip', '-cf', path, '-C', folder, 'index.html'])
    for (const to of ['epub', 'txtz'] as const) {
      const { text: words } = await converted(path, to)
      assert.match(words, /Words/, to)
      assert.doesNotMatch(words, /GNU GENERAL/, to)
    }
  })
})
