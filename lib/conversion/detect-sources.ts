import type { Engine } from '../engines/engine.ts'
import { AppError } from '../errors.ts'
import type { PdfHint } from '../formats/detect.ts'
import { createPdfMustBeDecryptedError } from '../formats/locked-pdf.ts'
import type { StoredFile } from '../model/job.ts'
import { createOptionsSchema, planRoute } from '../plan/index.ts'
import { addTaskToError, type RequestedTask } from '../tasks/parse-tasks.ts'
import { toStoredFile } from '../uploads/to-stored-file.ts'
import { type JobRequest, shouldErrorsNameTasks } from './job-request.ts'
import type { SourceFile } from './source.ts'

/** Detected files or errors, by the name of the import task. */
export type DetectedSources = ReadonlyMap<string, StoredFile | AppError>

/**
 * Detects the formats of the imported files that are already available. In a batch, an error only affects its own file.
 */
export async function detectSources(
  request: JobRequest,
  engines: readonly Engine[],
): Promise<DetectedSources> {
  const detectedFiles = new Map<string, StoredFile | AppError>()
  for (const [name, importSource] of request.imports) {
    if ('refused' in importSource) detectedFiles.set(name, importSource.refused)
    if (!('source' in importSource)) continue
    try {
      detectedFiles.set(name, await detectSource(name, importSource.source, request, engines))
    } catch (error) {
      if (!request.isBatch || !(error instanceof AppError)) throw error
      detectedFiles.set(name, error)
    }
  }
  return detectedFiles
}

async function detectSource(
  name: string,
  source: SourceFile,
  request: JobRequest,
  engines: readonly Engine[],
): Promise<StoredFile> {
  // Loaded on demand, because most requests contain no file.
  const { detectFormat } = await import('../decoders/detect-format.ts')
  const consumers = request.tasks.filter(({ input }) => input.includes(name))
  const filesByHint = new Map<string, StoredFile>()
  for (const consumer of consumers) {
    const pdfHint = getPdfHint(consumer, engines)
    const key = JSON.stringify(pdfHint)
    if (filesByHint.has(key)) continue
    try {
      filesByHint.set(key, toStoredFile(source, await detectFormat(source, pdfHint)))
    } catch (error) {
      const clientError = addPasswordHint(error, consumer, engines)
      throw shouldErrorsNameTasks(request) ? addTaskToError(name, clientError) : clientError
    }
  }
  return [...filesByHint.values()][0] ?? toStoredFile(source, await detectFormat(source))
}

/** Returns what detection needs to know about a PDF, from the task that uses it. */
function getPdfHint(consumer: RequestedTask, engines: readonly Engine[]): PdfHint {
  const { operation, fields } = consumer
  if (operation.kind !== 'process') return { mayBeLocked: true }
  const { options } = operation.parseSpec(fields)
  // The `password` of `encrypt-pdf` is the new password, not the one that opens the file.
  const passwordField = operation.name === 'encrypt-pdf' ? 'currentPassword' : 'password'
  const password = options[passwordField]
  return {
    passwordField,
    // A password that the conversion does not use must not open the file, even if it is correct.
    ...(typeof password === 'string' && usesPassword(consumer, engines) && { password }),
    ...(operation.name === 'repair-pdf' && { mayBeDamaged: true }),
    ...(contentAgnosticOperations.includes(operation.name) && { mayBeLocked: true }),
  }
}

/** Operations that do not read the content of a file. */
const contentAgnosticOperations = ['archive', 'extract', 'metadata']

/** Adds advice for a PDF with a missing or wrong password: send the password, or decrypt the PDF first. */
function addPasswordHint(error: unknown, consumer: RequestedTask, engines: readonly Engine[]): unknown {
  if (!(error instanceof AppError) || error.code !== 'PDF_ENCRYPTED' || consumer.operation.kind !== 'process')
    return error
  try {
    return hasPdfRoute('password', consumer, engines) ? error : createPdfMustBeDecryptedError(error)
  } catch (planError) {
    return planError
  }
}

/** Whether the conversion uses a PDF password. Errors in the request itself are reported later, by the planner. */
function usesPassword(consumer: RequestedTask, engines: readonly Engine[]): boolean {
  try {
    return hasPdfRoute('password', consumer, engines) || hasPdfRoute('currentPassword', consumer, engines)
  } catch {
    return true
  }
}

function hasPdfRoute(
  option: string,
  { operation, fields }: RequestedTask,
  engines: readonly Engine[],
): boolean {
  if (operation.kind !== 'process') return false
  const {
    operation: wantedOperation,
    engine,
    to = 'pdf',
  } = operation.toConversionSpec([], operation.parseSpec(fields))
  return (
    option in
    createOptionsSchema(planRoute({ from: 'pdf', to, operation: wantedOperation, engine, engines })).shape
  )
}
