import * as z from 'zod'
import { snakeCase } from '../case-conversion.ts'
import { AppError } from '../errors.ts'
import { parseWith } from '../parse-input.ts'
import { findPublicOperation, taskOperations } from './index.ts'
import type { TaskOperation } from './operation.ts'

/** A task of a request: its operation is known and its fields are checked. */
export interface RequestedTask {
  readonly name: string
  readonly operation: TaskOperation
  /** Names of the tasks whose files it takes. */
  readonly input: readonly string[]
  readonly continueOnError: boolean
  readonly fields: Readonly<Record<string, unknown>>
}

/** Characters of a name. */
const maxNameLength = 64
export const taskNamePattern = new RegExp(`^[\\w-]{1,${maxNameLength}}$`)
/** Tasks of one job. */
export const maxTasks = 1000

/** Fields of every task. */
const CommonFields = z.looseObject({
  operation: z.string().describe('What the task does'),
  input: z
    .union([z.string(), z.array(z.string()).min(1).max(maxTasks)])
    .optional()
    .describe('Name, or names, of the tasks whose files it takes'),
  continue_on_error: z
    .boolean()
    .optional()
    .describe('When this task fails, what takes its files goes on without them'),
})

/** @throws AppError INVALID_INPUT, INVALID_REQUEST; their details name the task and the field. */
export function parseTasks(taskMap: Readonly<Record<string, unknown>>): RequestedTask[] {
  const entries = Object.entries(taskMap)
  if (entries.length > maxTasks) {
    throw new AppError('INVALID_INPUT', `tasks: expected at most ${maxTasks} tasks, got ${entries.length}.`, {
      field: 'tasks',
      max: maxTasks,
      got: entries.length,
    })
  }
  const tasks = entries.map(([name, fields]) => withTaskInErrors(name, () => parseTask(name, fields)))
  validateGraph(tasks)
  return tasks
}

/** Errors of one task name it, and its fields as they stand in the request. */
export function withTaskInErrors<T>(name: string, action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw addTaskToError(name, error)
  }
}

export function addTaskToError(sentName: string, error: unknown): unknown {
  const name = sentName.slice(0, maxNameLength)
  if (!(error instanceof AppError)) return error
  const { field, ...details } = error.details ?? {}
  const path = `tasks.${name}${typeof field === 'string' && field !== name ? `.${field}` : ''}`
  const sentence = error.message.startsWith(`${String(field)}:`)
    ? `tasks.${name}.${error.message}`
    : `tasks.${name}: ${error.message}`
  return new AppError(error.code, sentence, { ...details, field: path, task: name }, { cause: error.cause })
}

function parseTask(name: string, value: unknown): RequestedTask {
  if (!taskNamePattern.test(name))
    throw new AppError(
      'INVALID_INPUT',
      `"${name.slice(0, maxNameLength)}" is no name of a task: expected up to ${maxNameLength} letters, digits, hyphens and underscores.`,
    )
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('INVALID_INPUT', 'expected an object with an operation and its fields.')
  const common = Object.keys(CommonFields.shape)
  const named = Object.entries(value).map(([field, value]) => [
    common.includes(snakeCase(field)) ? snakeCase(field) : field,
    value,
  ])
  const {
    operation: id,
    input = [],
    continue_on_error = false,
    ...rest
  } = parseWith(CommonFields, Object.fromEntries(named), 'task')
  const operation = findPublicOperation(id)
  if (!operation)
    throw new AppError(
      'INVALID_INPUT',
      `operation: there is no "${id.slice(0, 64)}"; expected one of ${taskOperations.map((known) => known.name).join(', ')}.`,
      { field: 'operation' },
    )
  const fields = normalizeFieldNames(rest, operation)
  rejectUnknownFields(fields, operation)
  const parsed = parseWith(operation.fields, fields, 'task')
  if (operation.kind === 'process') operation.parseSpec(parsed)
  return {
    ...{ name, operation, continueOnError: continue_on_error },
    input: typeof input === 'string' ? [input] : input,
    fields: parsed,
  }
}

/** What is no field is an option of an engine, where there is one. */
function rejectUnknownFields(fields: Readonly<Record<string, unknown>>, operation: TaskOperation): void {
  if (operation.kind === 'process') return
  const known = Object.keys(operation.fields.shape)
  const unknown = Object.keys(fields).find((field) => !known.includes(field))
  if (unknown === undefined) return
  const field = unknown.slice(0, 64)
  throw new AppError(
    'INVALID_INPUT',
    `${field}: no field of ${operation.name}, which takes ${known.join(', ')}.`,
    {
      field,
      expected: known,
    },
  )
}

/** Fields are known by either spelling; options keep theirs. */
function normalizeFieldNames(fields: Readonly<Record<string, unknown>>, operation: TaskOperation) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      snakeCase(name) in operation.fields.shape ? snakeCase(name) : name,
      value,
    ]),
  )
}

/** @throws AppError INVALID_REQUEST for tasks that can never run, or whose files nobody takes. */
export function validateGraph(tasks: readonly RequestedTask[]): void {
  if (tasks.length === 0)
    throw new AppError('INVALID_REQUEST', 'tasks: expected at least one task.', { field: 'tasks' })
  const byName = new Map(tasks.map((task) => [task.name, task]))
  const usedInputs = new Set(tasks.flatMap(({ input }) => input))
  for (const task of tasks) {
    for (const input of task.input) requireSource(task, input, byName)
    requireInputCount(task)
  }
  for (const task of tasks) {
    if (!usedInputs.has(task.name) && task.operation.kind !== 'export')
      throw graphError(task, 'nothing takes its files; add an export/url task with its name as input')
  }
  const cycleTask = findCycle(tasks, byName)
  if (cycleTask) throw graphError(cycleTask, 'it waits for itself: its input leads back to it')
}

const graphError = ({ name }: Pick<RequestedTask, 'name'>, error: string) =>
  new AppError('INVALID_REQUEST', `tasks.${name}: ${error}.`, { task: name, error })

function requireSource(task: RequestedTask, input: string, byName: ReadonlyMap<string, RequestedTask>): void {
  const source = byName.get(input)
  if (!source)
    throw graphError(task, `input names "${input.slice(0, 64)}", but there is no task of that name`)
  if (source === task) throw graphError(task, 'it is its own input')
  if (source.operation.kind === 'export')
    throw graphError(task, `input names ${input}, an export, whose files go out of the service`)
}

function requireInputCount(task: RequestedTask): void {
  const { operation, input } = task
  const got = input.length
  if (operation.kind === 'import') {
    if (got > 0) throw graphError(task, `${operation.name} brings a file in and takes no input`)
    return
  }
  const { min, max } = operation.kind === 'process' ? operation.inputs : { min: 1, max: maxTasks }
  if (new Set(input).size !== got) throw graphError(task, 'input names a task twice')
  if (got < min) throw graphError(task, `input is missing: name the task whose files ${operation.name} takes`)
  if (got > max) throw graphError(task, `${operation.name} takes files of at most ${max} tasks, got ${got}`)
}

/** A task on a circle, found by taking away whatever has all its inputs. */
function findCycle(
  tasks: readonly RequestedTask[],
  byName: ReadonlyMap<string, RequestedTask>,
): RequestedTask | undefined {
  const waiting = new Map(tasks.map(({ name, input }) => [name, input.length]))
  const consumers = new Map<string, string[]>()
  for (const { name, input } of tasks) {
    for (const source of input) {
      const names = consumers.get(source) ?? []
      consumers.set(source, names)
      names.push(name)
    }
  }
  const ready = tasks.filter(({ input }) => input.length === 0).map(({ name }) => name)
  for (const name of ready) {
    waiting.delete(name)
    for (const consumer of consumers.get(name) ?? []) {
      const left = (waiting.get(consumer) ?? 0) - 1
      waiting.set(consumer, left)
      if (left === 0) ready.push(consumer)
    }
  }
  const [first] = waiting.keys()
  return first === undefined ? undefined : byName.get(first)
}
