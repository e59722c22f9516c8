import * as z from 'zod'
import { taskOperations } from './index.ts'
import type { TaskOperation } from './operation.ts'
import { maxTasks } from './parse-tasks.ts'

/** Schema of the task map for the API reference. `parseTasks` does the validation, with better error messages. */

const inputTask = z.union([
  z.string(),
  z.object({
    task: z.string(),
    file: z
      .string()
      .optional()
      .describe('Name of a file of that task, such as `page-003.jpg`, or a pattern with `*` and `?`'),
  }),
])
const input = z
  .union([inputTask, z.array(inputTask)])
  .describe('Name or names of the input tasks, or `{task, file}` for single files of a task')

const continueOnError = z
  .boolean()
  .optional()
  .describe('Whether tasks that use the files of this task continue without them if it fails')

/** Returns the name of a task's schema, such as `TaskImportUrl`. */
export const getTaskSchemaName = (operation: string) =>
  `Task ${operation}`.replace(/(?<!\W)\W+(\w)/g, (_, initial: string) => initial.toUpperCase())

const createSchema = ({ name, alias, summary, kind, fields }: TaskOperation) =>
  fields
    .safeExtend({
      operation: alias === undefined ? z.literal(name) : z.literal([name, alias]),
      ...(kind !== 'import' && { input }),
      ...(kind !== 'export' && { continue_on_error: continueOnError }),
    })
    .describe(summary)
    .meta({ id: getTaskSchemaName(name) })

/** Tasks by name; `operation` determines the schema of each. */
export const TaskMap = z
  .record(z.string(), z.union(taskOperations.map(createSchema)))
  .describe(`Up to ${maxTasks} tasks by name`)
