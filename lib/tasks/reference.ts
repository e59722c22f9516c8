import * as z from 'zod'
import { taskOperations } from './index.ts'
import type { TaskOperation } from './operation.ts'
import { maxTasks } from './parse-tasks.ts'

/** The task map of a request as the reference shows it; `parseTasks` checks it, and says more of what is wrong. */

const input = z
  .union([z.string(), z.array(z.string())])
  .describe('Name, or names, of the tasks whose files it takes')

const continueOnError = z
  .boolean()
  .optional()
  .describe('When this task fails, what takes its files goes on without them')

const schemaOf = ({ name, summary, kind, fields }: TaskOperation) =>
  fields
    .safeExtend({
      operation: z.literal(name),
      ...(kind !== 'import' && { input }),
      ...(kind === 'process' && { continue_on_error: continueOnError }),
    })
    .describe(summary)
    .meta({ id: `Task ${name}`.replace(/[^\w]+(\w)/g, (_, letter: string) => letter.toUpperCase()) })

/** Tasks by name, each one of the operations, told apart by `operation`. */
export const TaskMap = z
  .record(z.string(), z.union(taskOperations.map(schemaOf)))
  .describe(`Up to ${maxTasks} tasks by name`)
