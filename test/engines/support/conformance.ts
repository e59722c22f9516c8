import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstat, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { Engine } from '../../../lib/engines/engine.ts'
import { AppError } from '../../../lib/errors.ts'
import { textFormats } from '../../../lib/formats/detect/families.ts'
import { headerlessMedia } from '../../../lib/formats/detect/media-signatures.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { listFormatPairs } from '../../../lib/plan/edges.ts'
import { defined } from '../../../lib/validation/defined.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { assertIntact } from './inspect-result.ts'
import { convert, type Run, type RunSettings, removeRuns } from './run-engine.ts'

interface ConformanceCase {
  readonly source: string
  readonly from: FormatId
  readonly to: FormatId
}

export interface ConformanceSettings {
  /** A file for each source format to test. */
  readonly fixtures: Readonly<Partial<Record<FormatId, string>>>
  /** Selects conversions among those with a fixture; all if omitted. */
  readonly only?: (from: FormatId, to: FormatId) => boolean
  /** Formats to test with garbage if several formats share a reader; all if omitted. */
  readonly garbage?: readonly FormatId[]
  /** A conversion that takes long enough to be cancelled while it is running. */
  readonly long: { readonly source: string; readonly to: FormatId; readonly options?: RunSettings['options'] }
}

/** Tests the contract of every engine with real files. Results are checked with independent tools. */
export function testConformance(
  engine: Engine,
  { fixtures, only = () => true, long, garbage }: ConformanceSettings,
): void {
  describe(`the engine ${engine.id}`, { concurrency: 2 }, () => {
    after(async () => {
      await engine.close?.()
      await removeRuns()
    })

    for (const { source, from, to } of listCases(engine, fixtures, only)) {
      test(`the engine ${engine.id} converts ${from} to ${to}`, async () => {
        const hashBefore = await digest(source)
        const run = await convert(engine, source, to, { from })
        await assertIntact(run.path, run.format)
        assertInWorkDir(run)
        assertProgress(run)
        assert.equal((await lstat(run.path)).isFile(), true)
        assert.equal(await digest(source), hashBefore)
      })
    }

    test(`the engine ${engine.id} stops a cancelled conversion within 3 seconds and leaves no process behind`, async () => {
      let folder = ''
      const abort = new AbortController()
      const startedEvent = Promise.withResolvers<void>()
      const runningConversion = convert(engine, long.source, long.to, {
        ...defined({ options: long.options }),
        signal: abort.signal,
        onProgress: () => startedEvent.resolve(),
        onFolder: (path) => {
          folder = path
        },
      })
      const rejectedRun = assert.rejects(runningConversion, /cancelled by the test/)
      await Promise.race([startedEvent.promise, new Promise((resolve) => setTimeout(resolve, 400))])
      const abortedAt = Date.now()
      abort.abort(new Error('cancelled by the test'))
      await rejectedRun
      assert.ok(Date.now() - abortedAt < 3000, `it took ${Date.now() - abortedAt} ms`)
      assert.notEqual(folder, '')
      await waitForNoCommands(folder)
    })

    test(`the engine ${engine.id} refuses random bytes declared as one of its formats, with an error code`, () =>
      assertRefusesGarbage(engine, garbage))
  })
}

/** Bytes of no known format, the same in each run so that failures are reproducible. */
const garbage = createHash('shake256', { outputLength: 4096 }).update('garbage').digest()

/** @param formats formats to test; all that the engine reads if omitted */
export async function assertRefusesGarbage(engine: Engine, formats?: readonly FormatId[]): Promise<void> {
  const path = join(scratchFolder('garbage'), 'garbage')
  await writeFile(path, garbage)
  for (const [from, to] of getFirstTargets(engine)) {
    if (formats && !formats.includes(from)) continue
    const hasErrorCode = (error: unknown) => {
      assert.ok(error instanceof AppError, `${from} to ${to}: ${String(error)}`)
      assert.doesNotMatch(error.message, /\/|ffmpeg|pdftoppm|exit code/)
      return true
    }
    await assert.rejects(
      convert(engine, path, to, { from }),
      hasErrorCode,
      `garbage as ${from} was converted to ${to}`,
    )
  }
}

function listCases(
  engine: Engine,
  fixtures: ConformanceSettings['fixtures'],
  isIncluded: (from: FormatId, to: FormatId) => boolean,
): ConformanceCase[] {
  return listConversionPairs(engine).flatMap(([from, to]) => {
    const source = fixtures[from]
    return source !== undefined && isIncluded(from, to) ? [{ source, from, to }] : []
  })
}

/** Lists the format pairs that an engine converts; tools, merging and compression have separate tests. */
const listConversionPairs = ({ capabilities }: Engine) =>
  capabilities.filter(({ operation }) => operation === 'convert').flatMap(listFormatPairs)

function getFirstTargets(engine: Engine): Map<FormatId, FormatId> {
  return new Map(
    listConversionPairs(engine)
      .reverse()
      .filter(([from]) => !acceptsAnyBytes(from)),
  )
}

/**
 * Formats whose reader accepts any bytes as pixels. For Sixel, format detection refuses files without the magic bytes
 * before an engine reads them.
 */
const formatsOfAnyPixels: readonly FormatId[] = ['rgf', 'sixel']
/** Returns whether any bytes are a valid file of the format, such as text or raw samples. */
const acceptsAnyBytes = (id: FormatId) =>
  [...textFormats, ...headerlessMedia, ...formatsOfAnyPixels].includes(id)

function assertInWorkDir({ result, workDir }: Run): void {
  for (const { path } of result.files) assert.ok(path.startsWith(join(workDir, 'out/')), path)
}

function assertProgress({ progress }: Run): void {
  assert.deepEqual(
    progress,
    progress.toSorted((a, b) => a - b),
  )
  assert.equal(progress.at(-1), 1)
  assert.ok(progress.every((ratio) => ratio >= 0 && ratio <= 1))
}

async function digest(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
}

/** Waits until all killed processes have ended, which takes the kernel a while for a whole tree. */
async function waitForNoCommands(folder: string): Promise<void> {
  await waitUntil(() => listCommands(folder).length === 0, 'no process is left', 3)
}

function listCommands(folder: string): string[] {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(folder))
}
