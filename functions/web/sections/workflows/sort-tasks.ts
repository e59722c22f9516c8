import { sortKeys } from '../../../../lib/validation/canonical-json.ts'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Sorts tasks in the order in which they run, each with its operation and input first. The table returns tasks and
 * their fields in any order, which differs between two requests.
 */
export function sortTasks<Tasks>(tasks: Tasks): Tasks {
  if (!isObject(tasks)) return tasks
  const remaining = new Map(Object.entries(sortKeys(tasks)))
  const sorted: Record<string, unknown> = {}
  const add = (name: string) => {
    const task = remaining.get(name)
    if (!remaining.delete(name)) return
    if (!isObject(task)) {
      sorted[name] = task
      return
    }
    const { operation, input, ...otherFields } = task
    for (const inputName of [input].flat()) add(String(inputName))
    sorted[name] = {
      ...(operation !== undefined && { operation }),
      ...(input !== undefined && { input }),
      ...otherFields,
    }
  }
  for (const name of [...remaining.keys()]) add(name)
  return sorted as Tasks // the same members
}
