import { copyFile, mkdtemp, open, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { engines } from '../../../lib/engines/index.ts'
import { detectFromContent, type PdfHint } from '../../../lib/formats/detect.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import {
  type ConvertedWithFallbacks,
  convertWithFallbacks,
} from '../../../lib/jobs/run/convert-with-fallbacks.ts'
import { createFallbackWarnings } from '../../../lib/jobs/run/fallbacks.ts'
import type { StoredFile } from '../../../lib/model/job.ts'
import { planFallback } from '../../../lib/plan/fallback-route.ts'
import { type ConversionSpec, planFiles } from '../../../lib/plan/plan-files.ts'
import { silentLog } from '../../embedded-aws/dynamodb/start-dynamodb.ts'

export interface RouteResult extends ConvertedWithFallbacks {
  readonly path: string
  /** Detected format of the source. */
  readonly from: FormatId
  /** Engines of the route's steps, separated by spaces. */
  readonly route: string
  readonly codes: readonly string[]
}

interface Settings {
  readonly options?: ConversionSpec['options']
  readonly signal?: AbortSignal
  /** Parent of the work folder. */
  readonly within?: string
  /** Receives the work folder, before anything can fail. */
  readonly onFolder?: (workDir: string) => void
}

/**
 * Converts a file as the service does: detects its format, plans, and tries fallback routes until an engine can read
 * the file. Also used by scripts, so it must not depend on the test runner.
 */
export async function convertAlongRoutes(
  source: string,
  to: FormatId,
  settings: Settings = {},
): Promise<RouteResult> {
  const { options = {}, signal = new AbortController().signal, within = tmpdir() } = settings
  const { size } = await stat(source)
  const filename = basename(source)
  const detectedFormat = await detectFile(source, options)
  const { format, traits } = detectedFormat
  const workDir = await mkdtemp(join(within, 'routes-'))
  settings.onFolder?.(workDir)
  const path = join(workDir, `source.${format}`)
  await copyFile(source, path)
  const file: StoredFile = { key: '', filename, size, sha256: '', ...detectedFormat }
  const spec: ConversionSpec = { operation: 'convert', to, options, additionalFilesField: 'file' }
  const [inputPlan] = planFiles([file], spec, engines).inputPlans
  if (!inputPlan) throw new Error('no route was planned')
  const inputs = [{ path, filename, format, size, traits }]
  const run = { inputs, workDir, signal, log: silentLog, progress: () => undefined }
  const convertedFiles = await convertWithFallbacks(inputPlan, run, (triedRoutes) =>
    planFallback([file], spec, { index: 0, triedRoutes, engines }),
  )
  const warnings = [...createFallbackWarnings(convertedFiles.inputPlan, engines), ...convertedFiles.warnings]
  return {
    ...convertedFiles,
    path: convertedFiles.result.files[0].path,
    from: format,
    route: convertedFiles.inputPlan.steps.map(({ engine }) => engine).join(' '),
    codes: warnings.map(({ code }) => code),
  }
}

/** Detects the format and traits of a file by its content. */
export async function detectFile(path: string, options: ConversionSpec['options'] = {}) {
  const { size } = await stat(path)
  const read = (start: number, end: number) => readBytes(path, start, end)
  return detectFromContent({ filename: basename(path), size, read }, createHint(options))
}

const createHint = ({ password }: ConversionSpec['options']): PdfHint =>
  typeof password === 'string' ? { passwordField: 'password', password } : {}

async function readBytes(path: string, start: number, end: number): Promise<Uint8Array> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - start), 0, end - start, start)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
