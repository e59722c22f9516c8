import { copyFile, mkdtemp, open, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { planFallback } from '../../lib/conversion/fallback-route.ts'
import { type ConversionSpec, planFiles } from '../../lib/conversion/plan-files.ts'
import { engines } from '../../lib/engines/index.ts'
import { detectFormat, type PdfHint } from '../../lib/formats/detect.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import type { StoredFile } from '../../lib/jobs/job.ts'
import {
  type ConvertedWithFallbacks,
  convertWithFallbacks,
} from '../../lib/jobs/run/convert-with-fallbacks.ts'
import { fallbackWarnings } from '../../lib/jobs/run/fallbacks.ts'
import { silentLog } from '../local/dynamodb/start-dynamodb.ts'

export interface AlongWays extends ConvertedWithFallbacks {
  readonly path: string
  /** What the source was taken for. */
  readonly from: FormatId
  /** The engines of its steps. */
  readonly way: string
  readonly codes: readonly string[]
}

interface Settings {
  readonly options?: ConversionSpec['options']
  readonly signal?: AbortSignal
  /** In which a folder is made for all of it. */
  readonly within?: string
  /** Hears of that folder, before anything can fail. */
  readonly onFolder?: (workDir: string) => void
}

/**
 * A file as the service takes it: looked into, planned, and taken from one way to the next until an engine can read it.
 * For scripts as well: nothing here is of the test runner.
 */
export async function alongWays(source: string, to: FormatId, settings: Settings = {}): Promise<AlongWays> {
  const { options = {}, signal = new AbortController().signal, within = tmpdir() } = settings
  const { size } = await stat(source)
  const filename = basename(source)
  const detected = await detectFormat(
    { filename, size, read: (from, end) => bytesOf(source, from, end) },
    hintOf(options),
  )
  const { format } = detected
  const workDir = await mkdtemp(join(within, 'ways-'))
  settings.onFolder?.(workDir)
  const path = join(workDir, `source.${format}`)
  await copyFile(source, path)
  const file: StoredFile = { key: '', filename, size, sha256: '', ...detected }
  const wish: ConversionSpec = { operation: 'convert', to, options, additionalFilesField: 'file' }
  const [piece] = planFiles([file], wish, engines).inputPlans
  if (!piece) throw new Error('no way was planned')
  const inputs = [{ path, filename, format, size }]
  const run = { inputs, workDir, signal, log: silentLog, progress: () => undefined }
  const done = await convertWithFallbacks(piece, run, (tried) =>
    planFallback([file], wish, { index: 0, tried, engines }),
  )
  const warnings = [...fallbackWarnings(done.inputPlan, engines), ...done.warnings]
  return {
    ...done,
    path: done.result.files[0].path,
    from: format,
    way: done.inputPlan.steps.map(({ engine }) => engine).join(' '),
    codes: warnings.map(({ code }) => code),
  }
}

const hintOf = ({ password }: ConversionSpec['options']): PdfHint =>
  typeof password === 'string' ? { passwordField: 'password', password } : {}

async function bytesOf(path: string, start: number, end: number): Promise<Uint8Array> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - start), 0, end - start, start)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
