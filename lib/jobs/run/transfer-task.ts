import { AppError, type ErrorCode } from '../../errors.ts'
import { captureLimitS, transferLimitS } from '../../plan/time-limits.ts'
import { findTransferOperation, type TransferOperation } from '../../tasks/index.ts'
import { TransientError } from '../failure.ts'
import { messageDone, type TaskHandler, WorkerStopped, withTimeLimit, withWorkDir } from './claimed-task.ts'
import { LeaseLost } from './lease.ts'
import { runTransfer, transferErrorCode } from './run-transfer.ts'

/** Runs tasks without an engine, which import or export files. */
export const transferTask: TaskHandler = async (run, claimedTask) => {
  const { services } = run
  const { task, state, lease } = claimedTask
  const operation = findTransferOperation(task.operation)
  if (!operation) throw new Error(`the operation ${task.operation} is not a transfer`)
  return withWorkDir(run, async (workDir) => {
    const limitS = 'capture' in operation ? captureLimitS : transferLimitS
    const limit = { limitS, hint: hintFor(operation) }
    const result = await withTimeLimit(run, claimedTask, limit, (signal) =>
      runTransfer({
        services,
        task,
        state,
        operation,
        workDir,
        signal,
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

/** Advice for transfers that exceed their time limit. */
function hintFor(operation: TransferOperation): string {
  if ('packs' in operation) return 'Request fewer jobs per ZIP.'
  if ('capture' in operation) return 'Capture a smaller part of the website.'
  if (operation.kind === 'import')
    return 'Import fewer files per task, or send the file as a multipart upload.'
  return 'Export fewer files per task, or download the results.'
}

const isExpected = (error: unknown) =>
  [AppError, TransientError, LeaseLost, WorkerStopped].some((kind) => error instanceof kind)

/** An internal error; the last attempt reports it as such, since neither the remote side nor the file is to blame. */
function internalTransferError(cause: unknown, code: ErrorCode): TransientError {
  const sentence = 'The transfer failed three times because of an internal error. Try again later.'
  return new TransientError(new AppError(code, sentence, undefined, { cause }), 0)
}
