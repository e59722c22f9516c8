import { captureLimitS, transferLimitS } from '../../conversion/time-limits.ts'
import { AppError, type ErrorCode } from '../../errors.ts'
import { type TransferOperation, transferOperation } from '../../tasks/index.ts'
import { TransientError } from '../failure.ts'
import { done, inWorkDir, Stopped, type Work, withinLimit } from './claimed-task.ts'
import { LeaseLost } from './lease.ts'
import { failureOf, runTransfer } from './run-transfer.ts'

/** What has no engine: files come from elsewhere or go there. */
export const carryTask: Work = async (run, claimed) => {
  const { services } = run
  const { task, state, lease } = claimed
  const operation = transferOperation(task.operation)
  if (!operation) throw new Error(`the operation ${task.operation} carries no files`)
  return inWorkDir(run, async (workDir) => {
    const limitS = 'capture' in operation ? captureLimitS : transferLimitS
    const limit = { limitS, wayOut: wayOutOf(operation) }
    const carried = await withinLimit(run, claimed, limit, (signal) =>
      runTransfer({
        ...{ services, task, state, operation, workDir, signal },
        progress: (percent) => lease.progress(percent, operation.kind),
        note: (begun) => lease.note({ begun }),
      }),
    ).catch((error: unknown) => {
      throw isExpected(error) ? error : ofOurOwn(error, failureOf(operation))
    })
    const isOurs = await lease.finish({ ...carried, status: 'completed', percent: 100 })
    if (!isOurs) await services.files.delete((carried.files ?? []).map(({ key }) => key))
    return done
  })
}

/** What helps whose files are too many or too large for one run. */
function wayOutOf(operation: TransferOperation): string {
  if ('packs' in operation) return 'Ask for fewer jobs in one ZIP.'
  if ('capture' in operation) return 'Capture a smaller part of the website.'
  if (operation.kind === 'import')
    return 'Bring fewer files in by one task, or send the file as an upload in parts.'
  return 'Take fewer files out by one task, or download the results.'
}

const isExpected = (error: unknown) =>
  [AppError, TransientError, LeaseLost, Stopped].some((kind) => error instanceof kind)

/** A fault of this service, which the last attempt tells of as such: neither the other side nor the file is to blame. */
function ofOurOwn(cause: unknown, code: ErrorCode): TransientError {
  const sentence =
    'The transfer failed three times by a fault of this service, not of the other side. Try again later.'
  return new TransientError(new AppError(code, sentence, undefined, { cause }), 0)
}
