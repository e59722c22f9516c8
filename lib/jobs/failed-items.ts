import type { FixedTask, JobState, Task, Warning } from '../model/job.ts'

/** Items of a batch that have no result, and why. The batch itself may be completed. */

export const isProcessTask = ({ operation }: { readonly operation: string }) =>
  !operation.startsWith('import/') && !operation.startsWith('export/')

type AnyTask = FixedTask | Task

export interface FailedItem {
  readonly task: AnyTask
  /** The task that failed: the item's task itself, or the import of its file. */
  readonly cause: AnyTask
}

export function findFailedItems({ fixed, tasks }: JobState): FailedItem[] {
  const allTasks: readonly AnyTask[] = [...fixed, ...tasks]
  const failedTasks = new Map(
    allTasks.flatMap((task) => (task.status === 'failed' ? [[task.number, task]] : [])),
  )
  return allTasks
    .filter((task) => isProcessTask(task) && (task.status === 'failed' || task.status === 'cancelled'))
    .toSorted((a, b) => a.number - b.number)
    .flatMap((task) => {
      const source = task.ins.find((input) => failedTasks.has(input))
      const cause =
        failedTasks.get(task.number) ?? (source === undefined ? undefined : failedTasks.get(source))
      return cause ? [{ task, cause }] : []
    })
}

/** Maximum number of failed items that the warnings of a batch name. */
const maxFailedItems = 100

export const createFailedItemWarnings = (state: JobState): Warning[] =>
  findFailedItems(state)
    .slice(0, maxFailedItems)
    .map(({ task: { name }, cause: { code, message } }) => ({
      code: 'ITEM_FAILED',
      message: `${name} failed${code === undefined ? '' : ` with ${code}`}: ${message ?? 'no reason was recorded.'}`,
      field: name,
    }))
