import { AppError, type ErrorCode } from '../../errors.ts'
import { captureLimitS, transferLimitS } from '../../plan/time-limits.ts'
import { findTransferOperation, type TransferOperation } from '../../tasks/index.ts'
import { TransientError } from '../failure.ts'
import {
  doneOutcome,
  runWithTimeLimit,
  type TaskHandler,
  useWorkDir,
  WorkerStoppedError,
} from './claimed-task.ts'
import { LeaseLostError } from './lease.ts'
import { getTransferErrorCode, runTransfer } from './run-transfer.ts'

/** Runs tasks that import or export files, which need no conversion engine. */
export const transferTask: TaskHandler = async (run, claimedTask) => {
  const { services } = run
  const { task, state, lease } = claimedTask
  const operation = findTransferOperation(task.operation)
  if (!operation) throw new Error(`the operation ${task.operation} is not a transfer`)
  return useWorkDir(run, async (workDir) => {
    const limitS = 'capture' in operation ? captureLimitS : transferLimitS
    const limit = { limitS, hint: createHint(operation) }
    const result = await runWithTimeLimit(run, claimedTask, limit, (signal) =>
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
      throw isExpected(error) ? error : createInternalTransferError(error, getTransferErrorCode(operation))
    })
    const isStored = await lease.finish({ ...result, status: 'completed', percent: 100 })
    if (!isStored) await services.files.delete((result.files ?? []).map(({ key }) => key))
    return doneOutcome
  })
}

/** Returns the advice for a transfer that exceeds its time limit. */
function createHint(operation: TransferOperation): string {
  if ('packs' in operation) return 'Request fewer jobs per ZIP.'
  if ('capture' in operation) return 'Capture a smaller part of the website.'
  if (operation.kind === 'import')
    return 'Import fewer files per task, or send the file as a multipart upload.'
  return 'Export fewer files per task, or download the results.'
}

const isExpected = (error: unknown) =>
  [AppError, TransientError, LeaseLostError, WorkerStoppedError].some((kind) => error instanceof kind)

/**
 * Creates an internal error, which the last attempt reports as such, because neither the remote side nor the file is to
 * blame.
 */
function createInternalTransferError(cause: unknown, code: ErrorCode): TransientError {
  const sentence = 'The transfer failed three times because of an internal error. Try again later.'
  return new TransientError(new AppError(code, sentence, undefined, { cause }), 0)
}
