import { complete, createStoredImport, file, newJob, newTask, withTasks } from '../records.ts'

export const state = withTasks(
  newJob([createStoredImport('in'), newTask('work', [0]), newTask('send', [1])]),
  {
    work: complete(5, { ...file('a.webp', 'k/a'), size: 3 }, { ...file('b.webp', 'k/b'), size: 1 }),
  },
)

export const send = state.tasks[1]
