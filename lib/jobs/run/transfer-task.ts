import { captureLimitS, transferLimitS } from '../../conversion/time-limits.ts'
import { AppError, type ErrorCode } from '../../errors.ts'
import { findTransferOperation, type TransferOperation } from '../../tasks/index.ts'
import { TransientError } from '../failure.ts'
import { messageDone, type TaskHandler, WorkerStopped, withTimeLimit, withWorkDir } from './claimed-task.ts'
import { LeaseLost } from './lease.ts'
import { runTransfer, transferErrorCode } from './run-transfer.ts'

/** What has no engine: files come from elsewhere or go there. */
export const transferTask: TaskHandler = async (run, claimed) => {
  const { services } = run
  const { task, state, lease } = claimed
  const operation = findTransferOperation(task.operation)
  if (!operation) throw new Error(`the operation ${task.operation} carries no files`)
  return withWorkDir(run, async (workDir) => {
    const limitS = 'capture' in operation ? captureLimitS : transferLimitS
    const limit = { limitS, hint: hintFor(operation) }
    const result = await withTimeLimit(run, claimed, limit, (signal) =>
      runTransfer({
        ...{ services, task, state, operation, workDir, signal },
        progress: (percent) => lease.reportProgress(percent, operation.kind),
        saveUploadState: (uploadState) => lease.saveRemaining({ begun: uploadState }),
      }),
    ).catch((error: unknown) => {
      throw isExpected(error) ? error : internalTransferError(error, transferErrorCode(operation))
    })
    const isStored = await lease.finish({ ...result, status: 'completed', percent: 100 })
    if (!isStored) await services.files.delete((result.files ?? []).map(({ key }) => key))
    return messageDone
  })
}

/** What helps whose files are too many or too large for one run. */
function hintFor(operation: TransferOperation): string {
  if ('packs' in operation) return 'Ask for fewer jobs in one ZIP.'
  if ('capture' in operation) return 'Capture a smaller part of the website.'
  if (operation.kind === 'import')
    return 'Bring fewer files in by one task, or send the file as an upload in parts.'
  return 'Take fewer files out by one task, or download the results.'
}

const isExpected = (error: unknown) =>
  [AppError, TransientError, LeaseLost, WorkerStopped].some((kind) => error instanceof kind)

/** A fault of this service, which the last attempt tells of as such: neither the other side nor the file is to blame. */
function internalTransferError(cause: unknown, code: ErrorCode): TransientError {
  const sentence =
    'The transfer failed three times by a fault of this service, not of the other side. Try again later.'
  return new TransientError(new AppError(code, sentence, undefined, { cause }), 0)
}
