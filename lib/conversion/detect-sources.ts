import type { Engine } from '../engines/engine.ts'
import { AppError } from '../errors.ts'
import type { PdfHint } from '../formats/detect.ts'
import { decryptFirst } from '../formats/locked-pdf.ts'
import type { StoredFile } from '../jobs/job.ts'
import { optionsOf, planRoute } from '../plan/index.ts'
import { namingTask, type RequestedTask } from '../tasks/parse-tasks.ts'
import { type JobRequest, namesTasks } from './job-request.ts'
import type { Source } from './source.ts'
import { storedFile } from './to-stored-file.ts'

/** By the name of the import. */
export type Detected = ReadonlyMap<string, StoredFile | AppError>

/** The files of all imports that are there; in a batch an error of one file is its own. */
export async function detectAll(request: JobRequest, engines: readonly Engine[]): Promise<Detected> {
  const detected = new Map<string, StoredFile | AppError>()
  for (const [name, one] of request.imports) {
    if ('refused' in one) detected.set(name, one.refused)
    if (!('source' in one)) continue
    try {
      detected.set(name, await detect(name, one.source, request, engines))
    } catch (error) {
      if (!request.isBatch || !(error instanceof AppError)) throw error
      detected.set(name, error)
    }
  }
  return detected
}

async function detect(
  name: string,
  source: Source,
  request: JobRequest,
  engines: readonly Engine[],
): Promise<StoredFile> {
  // Of the requests that reach a function with this, most bring no file.
  const { detectFormat } = await import('../formats/detect.ts')
  const takers = request.tasks.filter(({ input }) => input.includes(name))
  const seen = new Map<string, StoredFile>()
  for (const taker of takers) {
    const hint = hintOf(taker, engines)
    const key = JSON.stringify(hint)
    if (seen.has(key)) continue
    try {
      seen.set(key, storedFile(source, await detectFormat(source, hint)))
    } catch (error) {
      const known = withWayOut(error, taker, engines)
      throw namesTasks(request) ? namingTask(name, known) : known
    }
  }
  return [...seen.values()][0] ?? storedFile(source, await detectFormat(source))
}

/** What must be known to look into a PDF. */
function hintOf(taker: RequestedTask, engines: readonly Engine[]): PdfHint {
  const { operation, fields } = taker
  if (operation.kind !== 'process') return { mayBeLocked: true }
  const { options } = operation.specOf(fields)
  // The password of a PDF that is to be locked is the new one.
  const passwordField = operation.name === 'encrypt-pdf' ? 'currentPassword' : 'password'
  const password = options[passwordField]
  return {
    passwordField,
    // One that the conversion would not use opens nothing, though it were the right one.
    ...(typeof password === 'string' && readsPassword(taker, engines) && { password }),
    ...(operation.name === 'repair-pdf' && { mayBeDamaged: true }),
    ...(anythingGoes.includes(operation.name) && { mayBeLocked: true }),
  }
}

/** Operations that do not look into a file. */
const anythingGoes = ['archive', 'extract', 'metadata']

/** The way out that a conversion has for a PDF whose password is missing or wrong. */
function withWayOut(error: unknown, taker: RequestedTask, engines: readonly Engine[]): unknown {
  if (!(error instanceof AppError) || error.code !== 'PDF_ENCRYPTED' || taker.operation.kind !== 'process')
    return error
  try {
    return pdfRouteHas('password', taker, engines) ? error : decryptFirst(error)
  } catch (unplanned) {
    return unplanned
  }
}

/** What is wrong with the wish itself is told when it is planned. */
function readsPassword(taker: RequestedTask, engines: readonly Engine[]): boolean {
  try {
    return pdfRouteHas('password', taker, engines) || pdfRouteHas('currentPassword', taker, engines)
  } catch {
    return true
  }
}

function pdfRouteHas(
  option: string,
  { operation, fields }: RequestedTask,
  engines: readonly Engine[],
): boolean {
  if (operation.kind !== 'process') return false
  const { operation: wanted, engine, to = 'pdf' } = operation.wish([], operation.specOf(fields))
  return option in optionsOf(planRoute({ from: 'pdf', to, operation: wanted, engine, engines })).shape
}
