import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { readSummary } from '../../../lib/decoders/read-summary.ts'
import { createEbookArgs, EbookOptions } from '../../../lib/engines/calibre/options.ts'
import { calibre, createCalibre } from '../../../lib/engines/calibre.ts'
import type { Engine } from '../../../lib/engines/engine.ts'
import { pandoc } from '../../../lib/engines/pandoc.ts'
import { getConfinement } from '../../../lib/engines/sandbox/isolation.ts'
import { WordCounts } from '../../../lib/fidelity/text/word-counts.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { detectFile } from '../../formats/detect-file.ts'
import { planRoute } from '../../plan/with-all-engines.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { testConformance } from '../support/conformance.ts'
import { readEbookText } from '../support/inspect-ebook.ts'
import { countPdfPages, readStdout } from '../support/inspect-result.ts'
import { convert, fixture, type RunSettings } from '../support/run-engine.ts'

const run = promisify(execFile)
const scratchDir = scratchFolder('calibre-test')
const { level, detail } = await getConfinement()
const skipWithoutNamespaces = level === 'namespaces' ? {} : { skip: `needs bubblewrap, found ${detail}` }

async function convertAndKeep(source: string, to: FormatId, name: string, engine = calibre): Promise<string> {
  const { path } = await convert(engine, source, to)
  await copyFile(path, join(scratchDir, name))
  return join(scratchDir, name)
}

const text = join(scratchDir, 'notes.md')
await writeFile(
  text,
  '---\ntitle: Field notes\nauthor: Ada Example\n---\n\n# Kingfisher\n\nA "blue" bird -- seen... twice by the river.\n',
)
const epub = await convertAndKeep(text, 'epub', 'notes.epub', pandoc)
const mobi = await convertAndKeep(epub, 'mobi', 'notes.mobi')
const azw3 = await convertAndKeep(epub, 'azw3', 'notes.azw3')
const comic = join(scratchDir, 'comic.cbz')
await run('bsdtar', [...['--format=zip', '-cf', comic, '-C', fixture(''), 'corners.png', 'corners.jpg']])

/** Formats without a closer check below; `npm run conformance` tests all formats. */
const lightlyTestedFormats: readonly FormatId[] = ['lit', 'htmlz']

testConformance(calibre, {
  fixtures: { epub, azw3 },
  only: (from, to) => (from === 'epub' ? lightlyTestedFormats.includes(to) : to === 'epub'),
  garbage: ['epub', 'mobi', 'lit', 'pdb', 'docx', 'cbz'],
  long: { source: epub, to: 'azw3' },
})

async function convertSource(source: string, to: FormatId, settings: RunSettings = {}) {
  const convertedBook = await convert(calibre, source, to, settings)
  return {
    ...convertedBook,
    text: (await readEbookText(convertedBook.path)) ?? (await readFile(convertedBook.path, 'utf8')),
  }
}

describe('ebook conversions', { concurrency: 2 }, () => {
  test('an ebook keeps its text when it is converted to a Kindle ebook, FictionBook or Palm ebook', async () => {
    for (const path of [mobi, azw3]) assert.match((await readEbookText(path)) ?? '', /by the river/)
    const source = await readSummary(epub, 'epub', { isResult: false })
    const assertKeepsWords = async (path: string, format: FormatId) => {
      const bookSummary = await readSummary(path, format, { isResult: true })
      assert.equal(
        source?.words?.countSharedWith(bookSummary?.words ?? new WordCounts()),
        source?.words?.total,
        format,
      )
    }
    await Promise.all([assertKeepsWords(mobi, 'mobi'), assertKeepsWords(azw3, 'azw3')])
    for (const to of ['fb2', 'pdb'] as const) {
      const { path, text: words } = await convertSource(epub, to)
      assert.match(words, /Kingfisher/, to)
      assert.match(words, /by the river/, to)
      await assertKeepsWords(path, to)
    }
  })

  test('an ebook keeps its title and author', async () => {
    for (const path of [mobi, azw3, (await convert(calibre, mobi, 'epub')).path]) {
      const meta = await readStdout('ebook-meta', path)
      assert.match(meta, /Title +: Field notes/, path)
      assert.match(meta, /Author\(s\) +: Ada Example/, path)
    }
  })

  test('an ebook made from a file without a title is named after the file', async () => {
    const plainText = join(scratchDir, 'plain.txt')
    await writeFile(plainText, 'Words.\n\n![x](/etc/hostname)\n')
    const { path, text: words } = await convertSource(plainText, 'epub', { names: ['Tom & <Jerry>.txt'] })
    assert.match(await readStdout('ebook-meta', path), /Title +: Tom & <Jerry>/)
    assert.match(words, /!\[x\]\(\/etc\/hostname\)/)
  })

  test("an ebook made from a document has the document's title, or the file name if there is none", async () => {
    const untitledPath = join(scratchDir, 'untitled.md')
    await writeFile(untitledPath, 'Words by the river.\n')
    const names = ['Tom & <Jerry>.docx']
    const docx = await convertAndKeep(untitledPath, 'docx', 'untitled.docx', pandoc)
    const titledPath = await convertAndKeep(text, 'docx', 'titled.docx', pandoc)
    const readTitle = async (source: string, engine: Engine) =>
      readStdout('ebook-meta', (await convert(engine, source, 'epub', { names })).path)
    // The process for the first ebook is started on demand, and the process for the second ebook was prestarted.
    const engine = createCalibre({ baseDir: scratchDir })
    assert.match(await readTitle(titledPath, engine), /Title +: Field notes/)
    assert.match(await readTitle(docx, engine), /Title +: Tom & <Jerry>/)
    await engine.close?.()
  })

  test('a comic converted to EPUB keeps a PNG unchanged', async () => {
    const { path } = await convert(calibre, comic, 'epub')
    const { stdout } = await run('bsdtar', ['-xOf', path, '*corners.png'], { encoding: 'buffer' })
    assert.deepEqual(stdout, await readFile(fixture('corners.png')))
  })

  test('a comic with two images becomes a PDF with two pages, and a comic without images is refused', async () => {
    const { path, result } = await convert(calibre, comic, 'pdf')
    assert.equal(await countPdfPages(path), 2)
    assert.deepEqual(result.details, { pages: 2 })
    assert.match(await readStdout('pdfimages', '-list', path), /jpeg/)
    const emptyComic = join(scratchDir, 'empty.cbz')
    await run('bsdtar', ['--format=zip', '-cf', emptyComic, '-C', scratchDir, 'notes.md'])
    await assert.rejects(convert(calibre, emptyComic, 'pdf'), { code: 'CORRUPT_FILE' })
  })

  test('a comic in a 7z archive can be converted to EPUB', async () => {
    // `npm run conformance` tests the other formats.
    const path = join(scratchDir, 'comic.cb7')
    await run('bsdtar', ['--format=7zip', '-cf', path, '-C', fixture(''), 'corners.jpg'])
    const convertedBook = await convert(calibre, path, 'epub')
    assert.match(await readStdout('bsdtar', '-tf', convertedBook.path), /corners\.jpg/)
  })
})

describe('prestarted calibre processes', skipWithoutNamespaces, () => {
  test('a prestarted calibre process is started after the first ebook and exits after converting one ebook', async () => {
    const baseDir = await mkdtemp(join(scratchDir, 'waiting-'))
    const engine = createCalibre({ baseDir })
    const readers = async () => (await readdir(baseDir)).filter((name) => name.startsWith('mutabor-book-'))
    assert.deepEqual(await readers(), [])
    await convert(engine, epub, 'mobi')
    const [firstReader] = await readers()
    assert.ok(firstReader)
    const { path, workDir } = await convert(engine, epub, 'mobi')
    assert.match((await readEbookText(path)) ?? '', /by the river/)
    const [secondReader, ...moreReaders] = await readers()
    assert.deepEqual(moreReaders, [])
    assert.notEqual(secondReader, firstReader)
    // All unpacked files were in the folder of the process.
    assert.deepEqual((await readdir(workDir)).sort(), ['out', 'source-1.epub'])
    await engine.close?.()
    assert.deepEqual(await readers(), [])
  })

  test('a prestarted calibre process refuses ebooks that are damaged or have DRM, and later ebooks are converted', async () => {
    const engine = createCalibre({ baseDir: scratchDir })
    const invalidEpub = join(scratchDir, 'rubbish.epub')
    await writeFile(invalidEpub, 'no book')
    await convert(engine, epub, 'azw3')
    const bytes = await readFile(mobi)
    bytes.writeUInt16BE(2, bytes.readUInt32BE(78) + 12)
    const lockedPath = join(scratchDir, 'sold.mobi')
    await writeFile(lockedPath, bytes)
    assert.equal(
      (await assertRefused(convert(engine, lockedPath, 'epub'), 'UNSUPPORTED_FORMAT')).details?.reason,
      'drm',
    )
    await assert.rejects(convert(engine, invalidEpub, 'mobi'), { code: 'CORRUPT_FILE' })
    assert.match((await readEbookText((await convert(engine, epub, 'azw3')).path)) ?? '', /by the river/)
    await engine.close?.()
  })
})

describe('ebook options', { concurrency: 2 }, () => {
  const extractFontSizes = (styles: string) =>
    [...styles.matchAll(/font-size: ?([\d.]+(?:em|pt))/g)].map(([, size]) => size).join()

  test('ebook options set the margins, the font size and typographic punctuation', async () => {
    const options = { ebookMargin: '10,20,30,40', ebookBaseFontSize: 30, ebookSmartenPunctuation: 'true' }
    const { text: styledText } = await convertSource(epub, 'epub', { options })
    assert.match(styledText, /margin-top: ?10(\.0)?pt/)
    assert.match(styledText, /margin-bottom: ?20(\.0)?pt/)
    assert.match(styledText, /“blue”/)
    const { text: defaultText } = await convertSource(epub, 'epub', { options: { ebookMargin: '33' } })
    assert.match(defaultText, /margin-bottom: ?33(\.0)?pt/)
    assert.notEqual(extractFontSizes(styledText), extractFontSizes(defaultText))
  })

  test('the body text of an ebook has the requested font size, even if it is outside the range of the device profile', async () => {
    for (const [size, em] of [
      [8, 0.66667],
      [16, 1.33333],
      [30, 2.5],
      [50, 4.16667],
    ] as const) {
      const { text: styledText } = await convertSource(epub, 'epub', { options: { ebookBaseFontSize: size } })
      const bodyRule = styledText.match(/\.calibre \{[^}]*font-size: ([\d.]+)em/)
      assert.equal(Number(bodyRule?.[1]), em, `${size} pt`)
    }
  })

  test('ebook options are passed to calibre as arguments, and omitted options add no arguments', () => {
    const { options } = planRoute({ from: 'epub', to: 'azw3' }).steps[0].capability
    const getArgs = (givenOptions: object) =>
      createEbookArgs(EbookOptions.parse(options.parse(givenOptions)), 'azw3')
    assert.deepEqual(getArgs({ ebookMargin: 7 }), [
      ...['--margin-top=7', '--margin-bottom=7', '--margin-left=7', '--margin-right=7'],
    ])
    assert.deepEqual(getArgs({ ebookMargin: 'left:3' }), ['--margin-left=3'])
    const otherOptions = {
      ebookOutputProfile: 'kindle_pw3',
      ebookBaseFontSize: 30,
      ebookEmbedFonts: true,
      ebookSmartenPunctuation: true,
      ebookDisableFontRescaling: true,
    }
    assert.deepEqual(getArgs(otherOptions), [
      ...['--output-profile=kindle_pw3', '--base-font-size=30', '--embed-all-fonts'],
      ...['--smarten-punctuation', '--disable-font-rescaling'],
    ])
    assert.deepEqual(getArgs({ ebookEmbedFonts: false, ebookSmartenPunctuation: 'false' }), [])
  })

  test('the ebookEmbedFonts option embeds the fonts that an ebook uses', async () => {
    const page = join(scratchDir, 'page.html')
    await writeFile(page, '<h1>Kingfisher</h1><p>By the river.</p>')
    const namedBook = join(scratchDir, 'named.htmlz')
    await writeFile(
      page.replace('page', 'index'),
      '<html><head><style>p { font-family: "DejaVu Serif" }</style></head><body><p>By the river.</p></body></html>',
    )
    await run('bsdtar', ['--format=zip', '-cf', namedBook, '-C', scratchDir, 'index.html'])
    const options = { ebookEmbedFonts: true }
    const { path, warnings } = await convert(calibre, namedBook, 'epub', { options })
    assert.deepEqual(warnings, [])
    assert.match(await readStdout('bsdtar', '-tf', path), /DejaVu.*\.ttf/)
  })

  test('ebook options that a format cannot store cause a warning', async () => {
    for (const [to, options] of [
      ['fb2', { ebookMargin: 3 }],
      ['fb2', { ebookOutputProfile: 'kindle' }],
      // With this option, calibre would write font sizes beyond the range of LRF and fail.
      ['lrf', { ebookBaseFontSize: 30 }],
      ['lrf', { ebookEmbedFonts: true }],
    ] as const) {
      const { warnings } = await convert(calibre, epub, to, { options })
      assert.deepEqual(warnings, ['OPTION_NOT_HELD'], to)
    }
  })

  test('the ebookEmbedFonts option causes a warning if the ebook has no fonts to embed', async () => {
    const { warnings } = await convert(calibre, epub, 'epub', { options: { ebookEmbedFonts: true } })
    assert.deepEqual(warnings, ['OPTION_NOT_HELD'])
  })

  test('invalid ebook options are refused', async () => {
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

describe('ebooks with DRM', () => {
  const assertRefusedAsProtected = async (call: Promise<unknown>) =>
    assert.equal((await assertRefused(call, 'UNSUPPORTED_FORMAT')).details?.reason, 'drm')

  test('an ebook with DRM is refused by format detection and by calibre', async () => {
    const bytes = await readFile(mobi)
    bytes.writeUInt16BE(2, bytes.readUInt32BE(78) + 12)
    await assertRefusedAsProtected(detectFile('book.mobi', bytes))
    const path = join(scratchDir, 'locked.mobi')
    await writeFile(path, bytes)
    await assertRefusedAsProtected(convert(calibre, path, 'epub'))
  })

  test('an ebook with DRM is distinguished from one with obfuscated fonts', async () => {
    for (const [algorithm, isProtected] of [
      ['http://www.w3.org/2001/04/xmlenc#aes128-cbc', true],
      ['http://www.idpf.org/2008/embedding', false],
    ] as const) {
      const folder = await mkdtemp(join(scratchDir, 'drm-'))
      await run('bsdtar', ['-xf', epub, '-C', folder])
      await writeFile(
        join(folder, 'META-INF/encryption.xml'),
        `<encryption><EncryptedData><EncryptionMethod Algorithm="${algorithm}"/></EncryptedData></encryption>`,
      )
      const path = join(scratchDir, 'encrypted.epub')
      await run('bsdtar', ['--format=zip', '-cf', path, '-C', folder, 'mimetype', 'META-INF', 'EPUB'])
      const foundFormat = detectFile('book.epub', await readFile(path))
      if (isProtected) await assertRefusedAsProtected(foundFormat)
      else assert.equal(await foundFormat, 'epub')
    }
  })
})

test('text that repeats too often for the compressor of TCR becomes a complete book', async () => {
  const path = join(scratchDir, 'repeated.txt')
  await writeFile(path, 'The same sentence comes again and again. '.repeat(1200))
  const book = await readFile(await convertAndKeep(path, 'tcr', 'repeated.tcr'))
  const readCodes = (at: number, codes: Buffer[] = []): [Buffer, Buffer[]] => {
    const end = at + 1 + (book[at] ?? 0)
    return codes.length === 256
      ? [book.subarray(at), codes]
      : readCodes(end, [...codes, book.subarray(at + 1, end)])
  }
  const [coded, codes] = readCodes('!!8-Bit!!'.length)
  const decoded = Buffer.concat([...coded].map((code) => codes[code] ?? Buffer.alloc(0))).toString()
  assert.equal(decoded.match(/comes\s+again/g)?.length, 1200)
})

describe('hostile ebooks', () => {
  test('a hostile ebook whose unpacked content would be far larger than its file is refused', async () => {
    const big = join(scratchDir, 'index.html')
    await writeFile(big, Buffer.alloc(90_000_000, 0x20))
    const path = join(scratchDir, 'bomb.htmlz')
    await run('bsdtar', ['--format=zip', '-cf', path, '-C', scratchDir, 'index.html'])
    await rm(big)
    await assert.rejects(convert(calibre, path, 'epub'), { code: 'FILE_TOO_LARGE' })
  })

  test('a hostile ebook does not reveal the content of a local file that it refers to', async () => {
    const secret = '/usr/share/common-licenses/GPL-3'
    const folder = await mkdtemp(join(scratchDir, 'hostile-'))
    const up = `../../../../../../../../..${secret}`
    await writeFile(
      join(folder, 'index.html'),
      `<p>Words.</p><a href="file://${secret}">a</a><a href="${up}">b</a><img src="${secret}"><iframe src="${up}"></iframe>`,
    )
    const path = join(scratchDir, 'hostile.htmlz')
    await run('bsdtar', ['--format=zip', '-cf', path, '-C', folder, 'index.html'])
    for (const to of ['epub', 'txtz'] as const) {
      const { text: words } = await convertSource(path, to)
      assert.match(words, /Words/, to)
      assert.doesNotMatch(words, /GNU GENERAL/, to)
    }
  })
})
