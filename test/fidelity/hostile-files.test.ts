import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { TextReader, Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { countingLimits, readSummary, summarizeFile } from '../../lib/decoders/read-summary.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { LossDetector } from '../../lib/jobs/run/loss-detector.ts'
import { createLog } from '../../lib/log.ts'
import { listDescendants } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { waitUntil } from '../support/wait-until.ts'

const folder = scratchFolder('hostile-files')
const asSource = { isResult: false } as const
const rowCount = 20_000

async function write(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content, 'latin1')
  return path
}

async function writeZip(name: string, parts: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const zip = new ZipWriter(new Uint8ArrayWriter())
  for (const [partName, content] of Object.entries(parts))
    await zip.add(
      partName,
      typeof content === 'string' ? new TextReader(content) : new Uint8ArrayReader(content),
    )
  return write(name, await zip.close())
}

const repeat = (text: (at: number) => string) =>
  Array.from({ length: rowCount }, (_, at) => text(at)).join('')
const createWords = (count: number) => 'some words '.repeat(count / 2)

/** Asserts that a file is counted within a few seconds, even on a busy machine. */
async function countQuickly(path: string, format: FormatId) {
  const startedAt = performance.now()
  const summary = await readSummary(path, format, asSource)
  const ms = performance.now() - startedAt
  assert.ok(ms < 8000, `${format} took ${Math.round(ms)} ms`)
  return summary
}

test('a workbook part that several sheets refer to is read only once when its words are counted', async () => {
  const rows = '<row><c t="str"><v>some words</v></c></row>'.repeat(2000)
  const path = await writeZip('a.xlsx', {
    'xl/workbook.xml': `<workbook><sheets>${repeat((at) => `<sheet name="${at}" r:id="rId1"/>`)}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  })
  const summary = await countQuickly(path, 'xlsx')
  assert.deepEqual([summary?.counts, summary?.words?.total], [{ sheets: 1, cells: 2000 }, 4000])
})

test('an EPUB page that several spine items refer to is read only once when its words are counted', async () => {
  const path = await writeZip('a.epub', {
    'META-INF/container.xml': '<container><rootfile full-path="a.opf"/></container>',
    'a.opf': `<package><manifest><item id="a" href="a.html"/></manifest><spine>${'<itemref idref="a"/>'.repeat(rowCount)}</spine></package>`,
    'a.html': `<html><body>${createWords(250_000)}</body></html>`,
  })
  assert.equal((await countQuickly(path, 'epub'))?.words?.total, 250_000)
})

test('an HTML page that many altChunk relationships of a Word document refer to is read only once when its words are counted', async () => {
  const path = await writeZip('a.docx', {
    'word/document.xml': '<w:document><w:altChunk/></w:document>',
    'word/footnotes.xml': '<w:footnotes><w:altChunk/></w:footnotes>',
    'word/_rels/document.xml.rels': `<Relationships>${'<Relationship Type="x/aFChunk" Target="a.html"/>'.repeat(rowCount)}</Relationships>`,
    'word/a.html': `<html><body>${createWords(100_000)}</body></html>`,
  })
  assert.equal((await countQuickly(path, 'docx'))?.words?.total, 100_000)
})

test('a drawing that all sheets of a workbook share is read only once when its words are counted', async () => {
  const sheetCount = 300
  const each = <T>(make: (at: number) => T) => Array.from({ length: sheetCount }, (_, at) => make(at))
  const path = await writeZip('drawings.xlsx', {
    'xl/workbook.xml': each((at) => `<sheet r:id="r${at}"/>`).join(''),
    'xl/_rels/workbook.xml.rels': each(
      (at) => `<Relationship Id="r${at}" Target="worksheets/s${at}.xml"/>`,
    ).join(''),
    'xl/drawings/drawing1.xml': `<a:t>${createWords(100_000)}</a:t>`,
    ...Object.fromEntries(each((at) => [`xl/worksheets/s${at}.xml`, '<worksheet/>'])),
    ...Object.fromEntries(
      each((at) => [
        `xl/worksheets/_rels/s${at}.xml.rels`,
        '<Relationship Target="../drawings/drawing1.xml"/>'.repeat(50),
      ]),
    ),
  })
  assert.equal((await countQuickly(path, 'xlsx'))?.words?.total, 100_000)
})

/** Creates a PDF from its objects, starting with number 1. */
function createPdf(objects: readonly string[]): string {
  let pdf = '%PDF-1.4\n'
  const rows = objects.map((object, at) => {
    const row = `${String(pdf.length).padStart(10, '0')} 00000 n \n`
    pdf += `${at + 1} 0 obj\n${object}\nendobj\n`
    return row
  })
  const size = objects.length + 1
  return `${pdf}xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${pdf.length}\n%%EOF`
}

test('counting the words of a PDF that repeats one page many times stops early and marks the summary as incomplete', async () => {
  const content = '(some words) Tj\n'.repeat(100_000)
  const path = await write(
    'a.pdf',
    createPdf([
      '<</Type/Catalog/Pages 2 0 R>>',
      `<</Type/Pages/Kids[${'3 0 R '.repeat(rowCount)}]/Count ${rowCount}>>`,
      '<</Type/Page/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
      `<</Length ${content.length}>>stream\n${content}\nendstream`,
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    ]),
  )
  const summary = await countQuickly(path, 'pdf')
  assert.deepEqual([summary?.isIncomplete, summary?.words], [true, undefined])
})

let zipBomb: Promise<string> | undefined
const getZipBomb = () => (zipBomb ??= writeZipBomb())

function writeZipBomb(): Promise<string> {
  const page = `<!--${' '.repeat(30_000_000)}-->`
  const names = Array.from({ length: 20 }, (_, at) => `p${at}`)
  return writeZip('bomb.epub', {
    'META-INF/container.xml': '<container><rootfile full-path="a.opf"/></container>',
    'a.opf': `${names.map((name) => `<item id="${name}" href="${name}"/>`).join('')}${names.map((name) => `<itemref idref="${name}"/>`).join('')}`,
    ...Object.fromEntries(names.map((name) => [name, page])),
  })
}

test('counting the words of an EPUB stops if its ZIP entries decompress to more than the limit', async () => {
  await assert.rejects(readSummary(await getZipBomb(), 'epub', asSource), { name: 'CountingStoppedError' })
})

const createEngineWork = (t: TestContext) => {
  const detector = new LossDetector(createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }))
  t.after(() => detector[Symbol.dispose]())
  return detector
}

test('a result gets a warning if counting the words of its source was stopped', async (t) => {
  const [source, result] = [await getZipBomb(), await write('a.txt', 'some words')]
  const detector = createEngineWork(t)
  detector.start([{ path: source, format: 'epub' }])
  const step = { operation: 'convert', from: 'epub', to: 'txt', options: {} } as const
  await detector.checkStep(step, { files: [{ path: result }] }, [])
  assert.deepEqual(detector.fidelity?.uncounted, ['epub'])
  assert.deepEqual(
    detector.warnings.map(({ code }) => code),
    ['COUNTING_STOPPED'],
  )
})

test('counting the words of a file stops at its memory limit', async () => {
  const request = { kind: 'content', reader: 'richText', isResult: false } as const
  const path = await write('groups.rtf', '{'.repeat(12_000_000))
  const limits = { ...countingLimits, cpuS: 100, memoryBytes: 160 * 1024 ** 2 }
  await assert.rejects(summarizeFile(path, request, { limits }), {
    name: 'CountingStoppedError',
    message: 'more than 160 MiB of memory',
  })
})

const writeSlowFile = () => write('slow.org', ':A:\n'.repeat(1_000_000))

test('counting the words of a file stops at its CPU time limit', async () => {
  const request = { kind: 'content', reader: 'html', isResult: false } as const
  // The file needs a second of CPU time, because the process is checked every 100 ms, or later on a busy machine.
  const path = await write('slow.html', '&#233; '.repeat(1_500_000))
  await assert.rejects(summarizeFile(path, request, { limits: { ...countingLimits, cpuS: 0.02 } }), {
    name: 'CountingStoppedError',
    message: 'more than 20 ms of processor time',
  })
})

test('a file that is slow to count delays neither the process nor other files', async () => {
  const stop = new AbortController()
  const readPromise = readSummary(await writeSlowFile(), 'org', {
    isResult: false,
    signal: stop.signal,
  }).catch((error) => error)
  const path = await write('short.txt', 'some words')
  assert.equal((await readSummary(path, 'txt', asSource))?.words?.total, 2)
  stop.abort()
  assert.equal((await readPromise).name, 'AbortError')
})

test('a file is counted again if its reader process was killed', async () => {
  const path = await writeSlowFile()
  const readPromise = readSummary(path, 'org', asSource)
  const listReaders = () =>
    listDescendants(process.pid).filter(({ command }) => command.includes('decoders/program.mjs'))
  await waitUntil(() => listReaders().length > 0, 'a reader process runs', 20)
  for (const { pid } of listReaders()) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      // The parent of this process was killed just before, and the process ended with its parent.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  assert.equal((await readPromise)?.words?.total, 0)
})

test('aborting a step does not wait until its source is counted', async (t) => {
  const stop = new AbortController()
  const detector = new LossDetector(createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }), stop.signal)
  t.after(() => detector[Symbol.dispose]())
  detector.start([{ path: await writeSlowFile(), format: 'org' }])
  const step = { operation: 'convert', from: 'org', to: 'txt', options: {} } as const
  const result = await write('made.txt', 'some words')
  const checkPromise = detector.checkStep(step, { files: [{ path: result }] }, [])
  const startedAt = performance.now()
  stop.abort()
  await checkPromise
  assert.ok(performance.now() - startedAt < 500, 'it took too long')
  assert.deepEqual(detector.warnings, [])
})
