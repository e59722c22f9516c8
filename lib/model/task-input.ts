import * as z from 'zod'

/** An input of a task: all files of another task, or those with a certain name. */
export const TaskInput = z.union([z.string(), z.object({ task: z.string(), file: z.string().optional() })])
export type TaskInput = z.infer<typeof TaskInput>

/** Returns the inputs of a task in the order of the request. */
export function toInputRefs(input: TaskInput | readonly TaskInput[] | undefined): readonly TaskInput[] {
  if (input === undefined) return []
  return typeof input === 'string' || 'task' in input ? [input] : input
}

/** Returns the names of the input tasks. */
export const listInputNames = (input: TaskInput | readonly TaskInput[] | undefined): string[] =>
  toInputRefs(input).map((reference) => (typeof reference === 'string' ? reference : reference.task))

/** Whether the request selects files of its input tasks by name. */
export const selectsFiles = (input: TaskInput | readonly TaskInput[] | undefined): boolean =>
  toInputRefs(input).some((reference) => typeof reference !== 'string' && reference.file !== undefined)
