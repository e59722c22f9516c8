import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstat, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { Engine } from '../../lib/engines/engine.ts'
import { AppError } from '../../lib/errors.ts'
import { textFormats } from '../../lib/formats/detect/families.ts'
import { headerless } from '../../lib/formats/detect/media-signatures.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { formatPairs } from '../../lib/plan/edges.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { until } from '../wait-until.ts'
import { assertSound } from './judge.ts'
import { convert, type Run, type RunSettings, removeRuns } from './run-engine.ts'

interface ConformanceCase {
  readonly source: string
  readonly from: FormatId
  readonly to: FormatId
}

export interface ConformanceSettings {
  /** A file for each source format that is tried. */
  readonly fixtures: Readonly<Partial<Record<FormatId, string>>>
  /** Which of the pairs that fixtures exist for; all when left out. */
  readonly only?: (from: FormatId, to: FormatId) => boolean
  /** Formats that garbage is tried under, where one reader stands for many; all when left out. */
  readonly garbage?: readonly FormatId[]
  /** A conversion that takes long enough to be cancelled in its middle. */
  readonly long: { readonly source: string; readonly to: FormatId; readonly options?: RunSettings['options'] }
}

/** What every engine promises, tried on real files. A result is judged by a tool that had no part in it. */
export function conformance(
  engine: Engine,
  { fixtures, only = () => true, long, garbage }: ConformanceSettings,
): void {
  describe(`${engine.id} keeps its promises`, { concurrency: 2 }, () => {
    after(async () => {
      await engine.close?.()
      await removeRuns()
    })

    for (const { source, from, to } of casesOf(engine, fixtures, only)) {
      test(`${from} becomes ${to}`, async () => {
        const before = await digest(source)
        const run = await convert(engine, source, to, { from })
        await assertSound(run.path, run.format)
        assertWithin(run)
        assertProgress(run)
        assert.equal((await lstat(run.path)).isFile(), true)
        assert.equal(await digest(source), before)
      })
    }

    test('a cancelled conversion ends at once and leaves no process', async () => {
      let folder = ''
      const abort = new AbortController()
      const started = Promise.withResolvers<void>()
      const running = convert(engine, long.source, long.to, {
        ...(long.options && { options: long.options }),
        signal: abort.signal,
        onProgress: () => started.resolve(),
        onFolder: (path) => {
          folder = path
        },
      })
      const rejected = assert.rejects(running, /cancelled by the test/)
      await Promise.race([started.promise, new Promise((resolve) => setTimeout(resolve, 400))])
      const asked = Date.now()
      abort.abort(new Error('cancelled by the test'))
      await rejected
      assert.ok(Date.now() - asked < 3000, `it took ${Date.now() - asked} ms`)
      assert.notEqual(folder, '')
      await noCommandsIn(folder)
    })

    test('garbage under any of its formats is a coded error', () => refusesGarbage(engine, garbage))
  })
}

/** Of no format, and the same in each run: what is wrong with it is wrong again. */
const garbage = createHash('shake256', { outputLength: 4096 }).update('garbage').digest()

/** @param among formats to try; all that the engine reads when left out. */
export async function refusesGarbage(engine: Engine, among?: readonly FormatId[]): Promise<void> {
  const path = join(scratchFolder('garbage'), 'garbage')
  await writeFile(path, garbage)
  for (const [from, to] of firstTargets(engine)) {
    if (among && !among.includes(from)) continue
    const isCoded = (error: unknown) => {
      assert.ok(error instanceof AppError, `${from} to ${to}: ${String(error)}`)
      assert.doesNotMatch(error.message, /\/|ffmpeg|pdftoppm|exit code/)
      return true
    }
    await assert.rejects(convert(engine, path, to, { from }), isCoded, `garbage as ${from} becomes ${to}`)
  }
}

function casesOf(
  engine: Engine,
  fixtures: ConformanceSettings['fixtures'],
  only: (from: FormatId, to: FormatId) => boolean,
): ConformanceCase[] {
  return conversionPairs(engine).flatMap(([from, to]) => {
    const source = fixtures[from]
    return source !== undefined && only(from, to) ? [{ source, from, to }] : []
  })
}

/** Tools, merging and compressing have tests of their own. */
const conversionPairs = ({ capabilities }: Engine) =>
  capabilities.filter(({ operation }) => operation === 'convert').flatMap(formatPairs)

function firstTargets(engine: Engine): Map<FormatId, FormatId> {
  return new Map(
    conversionPairs(engine)
      .reverse()
      .filter(([from]) => !isAnything(from)),
  )
}

/** Any bytes are dots of a robot's screen; what is no Sixel has been refused before, by its missing mark. */
const dots: readonly FormatId[] = ['rgf', 'sixel']
/** Any bytes are a text, and samples. */
const isAnything = (id: FormatId) => [...textFormats, ...headerless, ...dots].includes(id)

function assertWithin({ result, workDir }: Run): void {
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

/** Waits for the end of all that was killed; the kernel takes a moment for a whole tree. */
async function noCommandsIn(folder: string): Promise<void> {
  await until(() => commandsIn(folder).length === 0, 'no process is left', 3)
}

function commandsIn(folder: string): string[] {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(folder))
}
