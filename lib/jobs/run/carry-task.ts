import { captureLimitS, transferLimitS } from '../../conversion/time-limits.ts'
import { transferOperation } from '../../tasks/index.ts'
import { done, inWorkDir, LeaseLost, type Work, withinLimit } from './claimed.ts'
import { runTransfer } from './run-transfer.ts'

/** What has no engine: files come from elsewhere or go there. */
export const carryTask: Work = async (run, claimed) => {
  const { services } = run
  const { task, state, lease } = claimed
  const operation = transferOperation(task.operation)
  if (!operation) throw new Error(`the operation ${task.operation} carries no files`)
  return inWorkDir(run, async (workDir) => {
    const limitS = 'capture' in operation ? captureLimitS : transferLimitS
    const carried = await withinLimit(run, claimed, limitS, (signal) =>
      runTransfer({
        ...{ services, task, state, operation, workDir, signal },
        progress: (percent) => lease.progress(percent, operation.kind),
        note: async (begun) => {
          if (!(await lease.note({ begun }))) throw new LeaseLost()
        },
      }),
    )
    const isOurs = await lease.finish({ ...carried, status: 'completed', percent: 100 })
    if (!isOurs) await services.files.delete((carried.files ?? []).map(({ key }) => key))
    return done
  })
}
