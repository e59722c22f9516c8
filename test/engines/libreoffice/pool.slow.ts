// Run by `npm run test:slow`: tests the LibreOffice pool with processes that start, crash and hang.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, describe, test } from 'node:test'
import { TextReader, Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import type { Engine } from '../../../lib/engines/engine.ts'
import { createLibreOffice, type LibreOfficeSettings } from '../../../lib/engines/libreoffice.ts'
import { AppError } from '../../../lib/errors.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { readPdfText, readStdout } from '../support/inspect-result.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

const scratch = await mkdtemp(join(tmpdir(), 'office-pool-test-'))
const engines: Engine[] = []

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close?.()
  await removeRuns()
})
after(() => rm(scratch, { recursive: true }))

/** Creates an engine with its own LibreOffice pool. Returns the engine, and the folder for the pool's processes. */
async function createPool(settings: LibreOfficeSettings = {}): Promise<{ engine: Engine; baseDir: string }> {
  const baseDir = await mkdtemp(join(scratch, 'pool-'))
  const engine = createLibreOffice({ baseDir, ...settings })
  engines.push(engine)
  return { engine, baseDir }
}

/** Returns the ids of processes whose command line contains both the program and the folder. */
async function listPids(program: string, folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const pidLists = await Promise.all(
    pids.map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')
      return command.split('\0')[0]?.endsWith(program) && command.includes(folder) ? [Number(pid)] : []
    }),
  )
  return pidLists.flat()
}

const listOfficePids = (baseDir: string) => listPids('soffice.bin', baseDir)

/** Writes a text file of many pages, so that its conversion still takes a while after it is loaded. */
async function writeLongText(word: string, lines = 4000): Promise<string> {
  const path = join(scratch, `${word}.txt`)
  await writeFile(path, `${word}\n${'The quick brown fox jumps over the lazy dog.\n'.repeat(lines)}`)
  return path
}

function matchesRefusal(pattern: RegExp) {
  return (error: unknown) =>
    error instanceof AppError && error.code === 'CONVERSION_FAILED' && pattern.test(error.message)
}

describe('the LibreOffice pool', () => {
  test('the LibreOffice pool starts a process only when needed, and reuses it', async () => {
    const { engine, baseDir } = await createPool()
    assert.deepEqual(await listOfficePids(baseDir), [])
    await engine.warm?.()
    const [firstPid] = await listOfficePids(baseDir)
    assert.ok(firstPid)
    for (let i = 0; i < 3; i++) await convert(engine, fixture('office/report.docx'), 'pdf')
    assert.deepEqual(await listOfficePids(baseDir), [firstPid])
  })

  test('the LibreOffice pool converts many documents with the allowed number of processes', async () => {
    const { engine, baseDir } = await createPool({ processes: 2 })
    const words = Array.from({ length: 8 }, (_, i) => `Number${i}`)
    const runs = words.map(async (word) => {
      const { path } = await convert(engine, await writeLongText(word, 50), 'pdf')
      const text = await readPdfText(path)
      assert.deepEqual(new Set(text.match(/Number\d/g)), new Set([word]))
    })
    await Promise.all(runs)
    assert.equal((await listOfficePids(baseDir)).length, 2)
  })

  test('the LibreOffice pool replaces a process that has reached its document limit', async () => {
    const { engine, baseDir } = await createPool({ processes: 1, documents: 3 })
    await convert(engine, fixture('office/utf16.txt'), 'rtf')
    const [firstPid] = await listOfficePids(baseDir)
    await convert(engine, fixture('office/utf16.txt'), 'rtf')
    assert.deepEqual(await listOfficePids(baseDir), [firstPid])
    await convert(engine, fixture('office/utf16.txt'), 'rtf')
    const isReplaced = async () => {
      const now = await listOfficePids(baseDir)
      return now.length === 1 && now[0] !== firstPid
    }
    await waitUntil(isReplaced, 'another LibreOffice process has replaced the first', 60)
    await convert(engine, fixture('office/utf16.txt'), 'rtf')
  })

  test('the LibreOffice pool keeps using a process at its document limit until the replacement is warm', async () => {
    const { engine, baseDir } = await createPool({ processes: 1, documents: 3 })
    await convert(engine, fixture('office/utf16.txt'), 'rtf')
    const [firstPid] = await listOfficePids(baseDir)
    assert.ok(firstPid)
    let previousPids = [firstPid]
    let documents = 1
    while (previousPids.includes(firstPid)) {
      await convert(engine, fixture('office/utf16.txt'), 'rtf')
      documents++
      previousPids = await listOfficePids(baseDir)
      // On a busy machine, a replaced process takes a while to end.
      const isReplaced = async () => (await listOfficePids(baseDir)).length <= 2
      if (previousPids.length > 2)
        await waitUntil(isReplaced, `two of ${previousPids.length} LibreOffice processes remain`)
    }
    assert.ok(
      documents > 4,
      `${documents} documents were converted, 3 of them before the next one was started`,
    )
  })

  test('the LibreOffice pool ends all processes and removes all folders when it is closed', async () => {
    const { engine, baseDir } = await createPool()
    const runningConversions = [writeLongText('First'), writeLongText('Second')].map(async (path) =>
      convert(engine, await path, 'pdf'),
    )
    await Promise.race(runningConversions)
    await engine.close?.()
    await Promise.allSettled(runningConversions)
    // The kernel kills the processes of a sandbox after its first process has ended.
    await waitUntil(
      async () => (await listOfficePids(baseDir)).length === 0,
      'all LibreOffice processes have ended',
    )
    assert.deepEqual(await readdir(baseDir), [])
    await assert.rejects(convert(engine, fixture('office/report.docx'), 'pdf'), /closed/)
  })
})

describe('failing LibreOffice processes', () => {
  /** Converts a document. Signals the LibreOffice process after it has loaded the document, in this many attempts. */
  async function convertWhileSignalling(
    signal: NodeJS.Signals,
    times: number,
    settings?: LibreOfficeSettings,
  ) {
    const { engine, baseDir } = await createPool({ processes: 1, ...settings })
    await engine.warm?.()
    const pidsBefore = await listOfficePids(baseDir)
    let timesLeft = times
    const onProgress = (ratio: number) => {
      if (ratio !== 0.5 || timesLeft-- <= 0) return
      void listOfficePids(baseDir).then(([pid]) => pid !== undefined && process.kill(pid, signal))
    }
    const run = convert(engine, await writeLongText('Survivor'), 'pdf', { onProgress })
    return { run, before: pidsBefore, baseDir }
  }

  test('a LibreOffice process that crashes is replaced, and the document is converted', async () => {
    const { run, before, baseDir } = await convertWhileSignalling('SIGKILL', 1)
    const { path } = await run
    assert.match(await readPdfText(path), /Survivor/)
    assert.notDeepEqual(await listOfficePids(baseDir), before)
  })

  test('a LibreOffice process that hangs is detected, and the document is retried', async () => {
    const { run } = await convertWhileSignalling('SIGSTOP', 1, { stallS: 0.5 })
    const { path } = await run
    assert.match(await readPdfText(path), /Survivor/)
  })

  test('a document whose LibreOffice process crashes twice is converted by the third process', async () => {
    const { run, baseDir } = await convertWhileSignalling('SIGKILL', 2)
    const { path } = await run
    assert.match(await readPdfText(path), /Survivor/)
    assert.equal((await listOfficePids(baseDir)).length, 1)
  })

  test('a document whose LibreOffice process crashes three times is refused, and the next document is converted', async () => {
    const { run } = await convertWhileSignalling('SIGKILL', 3)
    await assert.rejects(run, matchesRefusal(/crashes LibreOffice/))
    const [engine] = engines
    assert.ok(engine)
    await convert(engine, fixture('office/report.docx'), 'pdf')
  })

  test('an idle LibreOffice process that fails is replaced without an error', async () => {
    const { engine, baseDir } = await createPool({ processes: 1 })
    await engine.warm?.()
    const [pid] = await listOfficePids(baseDir)
    assert.ok(pid)
    process.kill(pid, 'SIGKILL')
    const { path } = await convert(engine, fixture('office/report.docx'), 'pdf')
    assert.match(await readPdfText(path), /Quarterly/)
  })
})

test('cancelling the conversion of a document ends only its own LibreOffice process', async () => {
  const { engine, baseDir } = await createPool({ processes: 2 })
  const abort = new AbortController()
  const loadedEvent = Promise.withResolvers<void>()
  const cancelledRun = convert(engine, await writeLongText('Cancelled', 20_000), 'pdf', {
    signal: abort.signal,
    onProgress: () => loadedEvent.resolve(),
  })
  const rejectedRun = assert.rejects(cancelledRun, /asked to stop/)
  const otherRun = convert(engine, await writeLongText('Kept', 8000), 'pdf')
  await loadedEvent.promise
  const pidsBefore = await listOfficePids(baseDir)
  const requestedAtMs = performance.now()
  abort.abort(new Error('asked to stop'))
  await rejectedRun
  const ms = performance.now() - requestedAtMs
  assert.ok(ms < 1000, `it kept running for ${ms} ms`)
  assert.match(await readPdfText((await otherRun).path), /Kept/)
  const pidsAfter = await listOfficePids(baseDir)
  assert.equal(pidsBefore.filter((pid) => pidsAfter.includes(pid)).length, 1)
})

describe('files and fonts of converted documents', () => {
  test('a converted document leaves no files in the folder of the LibreOffice process', async () => {
    const { engine, baseDir } = await createPool({ processes: 1 })
    const word = 'Xylophonist'
    await convert(engine, await writeLongText(word, 10), 'odt')
    const [folder = ''] = await readdir(baseDir)
    const listNames = () => readdir(join(baseDir, folder), { recursive: true })
    const isCleared = async () => !(await listNames()).some((name) => /document|result/.test(name))
    await waitUntil(isCleared, 'the process has cleaned up after the result')
    for (const name of await listNames()) {
      const bytes = await readFile(join(baseDir, folder, name)).catch(() => Buffer.alloc(0))
      assert.ok(!bytes.includes(word) && !bytes.includes(Buffer.from(word, 'utf16le')), name)
    }
  })

  test('the fonts embedded in a document are not available to the next document', async () => {
    const { engine } = await createPool({ processes: 1 })
    const listFonts = async (path: string) =>
      readStdout('pdffonts', (await convert(engine, path, 'pdf')).path)
    assert.match(await listFonts(await writeTextInFont('with-font.odt', true)), /Caladea/)
    assert.doesNotMatch(await listFonts(await writeTextInFont('without-font.odt', false)), /Caladea/)
  })
})

/** Writes a text in a font that is not installed, with or without embedding it. */
async function writeTextInFont(name: string, embedsFont: boolean): Promise<string> {
  const odf = 'urn:oasis:names:tc:opendocument:xmlns'
  const uri =
    '<svg:font-face-uri xlink:href="Fonts/borrowed.ttf" xlink:type="simple"><svg:font-face-format svg:string="truetype"/></svg:font-face-uri>'
  const parts: Record<string, string> = {
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<office:document-content xmlns:office="${odf}:office:1.0" xmlns:style="${odf}:style:1.0" xmlns:text="${odf}:text:1.0" xmlns:svg="${odf}:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.2"><office:font-face-decls><style:font-face style:name="Borrowed" svg:font-family="Borrowed"><svg:font-face-src>${embedsFont ? uri : ''}</svg:font-face-src></style:font-face></office:font-face-decls><office:automatic-styles><style:style style:name="P1" style:family="paragraph"><style:text-properties style:font-name="Borrowed"/></style:style></office:automatic-styles><office:body><office:text><text:p text:style-name="P1">Words</text:p></office:text></office:body></office:document-content>`,
    'META-INF/manifest.xml': `<manifest:manifest xmlns:manifest="${odf}:manifest:1.0" manifest:version="1.2"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/><manifest:file-entry manifest:full-path="Fonts/borrowed.ttf" manifest:media-type="application/x-font-ttf"/></manifest:manifest>`,
  }
  const zip = new ZipWriter(new Uint8ArrayWriter())
  for (const [path, content] of Object.entries(parts))
    await zip.add(path, new TextReader(content), { level: 0 })
  if (embedsFont) {
    const font = await readFile('/usr/share/fonts/truetype/crosextra/Caladea-Italic.ttf')
    await zip.add('Fonts/borrowed.ttf', new Uint8ArrayReader(font))
  }
  const path = join(scratch, name)
  await writeFile(path, await zip.close())
  return path
}

test('a killed service leaves no LibreOffice processes, and its folders are removed at the next start', async () => {
  const baseDir = await mkdtemp(join(scratch, 'killed-'))
  const module = new URL('../../../lib/engines/libreoffice.ts', import.meta.url).href
  const program = `const { createLibreOffice } = await import('${module}')
    await createLibreOffice({ baseDir: '${baseDir}' }).warm()
    console.log('warm')
    setInterval(() => {}, 1000)`
  const service = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(service.stdout, 'data')
  assert.equal((await listOfficePids(baseDir)).length, 1)
  const exit = once(service, 'exit')
  service.kill('SIGKILL')
  await exit
  await waitUntil(
    async () => (await listOfficePids(baseDir)).length === 0,
    'the LibreOffice process survives',
  )
  const remainingNames = await readdir(baseDir)
  assert.equal(remainingNames.length, 1)
  const nextEngine = createLibreOffice({ baseDir })
  engines.push(nextEngine)
  await nextEngine.warm?.()
  const remainingFolders = (await readdir(baseDir)).filter((name) => remainingNames.includes(name))
  assert.deepEqual(remainingFolders, [])
})

test('a failed start of LibreOffice is not reported as an error of the document', async () => {
  const bridgeDir = await mkdtemp(join(scratch, 'no-bridge-'))
  await writeFile(join(bridgeDir, 'registrymodifications.xcu'), '')
  const { engine } = await createPool({ processes: 1, bridgeDir })
  await assert.rejects(
    convert(engine, fixture('office/report.docx'), 'pdf'),
    (error) => !(error instanceof AppError) && /did not start/.test(String(error)),
  )
})

describe('compromised LibreOffice processes', () => {
  const triedConversions: [FormatId, string][] = [
    ['docx', 'returns a link instead of a file'],
    ['odt', 'returns a pipe instead of a file'],
    ['rtf', 'sends an invalid event'],
    ['txt', 'writes output without end'],
    ['html', 'returns an invalid number of pages'],
  ]
  for (const [to, caseName] of triedConversions) {
    test(`a compromised LibreOffice process that ${caseName} fails the conversion of the document`, async () => {
      const bridgeDir = fixture('office/hostile-bridge')
      const { engine } = await createPool({ processes: 1, bridgeDir })
      const path = join(scratch, 'in.doc')
      await copyFile(fixture('office/report.docx'), path)
      await assert.rejects(convert(engine, path, to), matchesRefusal(/crashes LibreOffice/))
    })
  }
})
