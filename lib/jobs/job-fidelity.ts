import { combineFidelities, combineSequential, type Fidelity } from '../model/fidelity.ts'
import type { Task } from '../model/job.ts'

/**
 * Combines the fidelity of all tasks of a job: parallel tasks are summed, consecutive tasks are combined in sequence.
 */
export function combineJobFidelity(processTasks: readonly Task[]): Fidelity | undefined {
  const completedTasksByNumber = new Map(
    processTasks.filter(({ status }) => status === 'completed').map((task) => [task.number, task]),
  )
  const inputNumbers = new Set([...completedTasksByNumber.values()].flatMap(({ ins }) => ins))
  const cache = new Map<number, Fidelity | undefined>()
  const combineFidelityUpTo = (task: Task): Fidelity | undefined => {
    if (cache.has(task.number)) return cache.get(task.number)
    const inputTasks = task.ins.flatMap((number) => completedTasksByNumber.get(number) ?? [])
    const fidelity = combineSequential(combineFidelities(inputTasks.map(combineFidelityUpTo)), task.fidelity)
    cache.set(task.number, fidelity)
    return fidelity
  }
  return combineFidelities(
    [...completedTasksByNumber.values()]
      .filter(({ number }) => !inputNumbers.has(number))
      .map(combineFidelityUpTo),
  )
}
