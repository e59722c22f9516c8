import * as z from 'zod'
import { AppError } from '../errors.ts'
import { findBySynonym } from '../formats/synonyms.ts'
import { isShownInTask } from '../model/operations.ts'
import type { TaskInput } from '../model/task-input.ts'
import { toSnakeCase } from '../names/case-conversion.ts'
import { findSimilar, formatSuggestion } from '../validation/did-you-mean.ts'
import { maxLengths, text } from '../validation/maxima.ts'
import { parseInput } from '../validation/parse-input.ts'
import { findPublicOperation, taskOperations } from './index.ts'
import type { TaskOperation } from './operation.ts'

/** A validated task of a request. */
export interface RequestedTask {
  readonly name: string
  readonly operation: TaskOperation
  /** Names of the input tasks. */
  readonly input: readonly string[]
  /** The inputs as the client sent them, unless they are an array of names. */
  readonly sentInput?: TaskInput | readonly TaskInput[] | undefined
  readonly continueOnError: boolean
  readonly fields: Readonly<Record<string, unknown>>
  /** Returns the client's name of a field for error messages; set for tasks that an endpoint creates. */
  readonly requestField?: ((field: string) => string) | undefined
}

/** Maximum number of characters in the name of a task. */
const maxNameLength = 64
const taskNamePattern = new RegExp(`^[\\w-]{1,${maxNameLength}}$`)
/** Maximum number of tasks per job. */
export const maxTasks = 1000

/** Input tasks, or single files of them. */
const InputField = z.union(
  [text('id'), z.strictObject({ task: text('id'), file: text('name').optional() })],
  'expected the name of a task, or an object with task and file',
)
const inputExpectation = `expected the name of a task, an object with task and file, or a list of 1 to ${maxTasks} of them`

/** Fields of every task. */
const CommonFields = z.looseObject({
  operation: z
    .string('expected the name of an operation such as import/upload or convert')
    .max(maxLengths.id)
    .describe('Operation of the task'),
  input: z
    .union(
      [InputField, z.array(InputField).min(1, inputExpectation).max(maxTasks, inputExpectation)],
      inputExpectation,
    )
    .optional()
    .describe('Name or names of the input tasks'),
  continue_on_error: z
    .boolean()
    .optional()
    .describe('Whether tasks that use the files of this task continue without them if it fails'),
})

/** Whether every task has a field, in either spelling. */
export const isCommonField = (name: string): boolean => Object.hasOwn(CommonFields.shape, toSnakeCase(name))

/**
 * Parses the tasks of a request.
 * @throws AppError INVALID_INPUT, INVALID_REQUEST; their details name the task and the field.
 */
export function parseTasks(taskMap: Readonly<Record<string, unknown>>): RequestedTask[] {
  const entries = Object.entries(taskMap)
  if (entries.length > maxTasks) {
    throw new AppError('INVALID_INPUT', `tasks: expected at most ${maxTasks} tasks, got ${entries.length}.`, {
      field: 'tasks',
      max: maxTasks,
      got: entries.length,
    })
  }
  const tasks = entries.map(([name, fields]) => addTaskToErrors(name, () => parseTask(name, fields)))
  validateGraph(tasks)
  return tasks
}

/** Runs an action and adds the task's name and the field's path in the request to its errors. */
export function addTaskToErrors<T>(name: string, action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw addTaskToError(name, error)
  }
}

export function addTaskToError(sentName: string, error: unknown): unknown {
  const name = sentName.slice(0, maxNameLength)
  if (!(error instanceof AppError)) return error
  const { field, errors, ...details } = error.details ?? {}
  const getPath = (field: unknown) =>
    `tasks.${name}${typeof field === 'string' && field !== name ? `.${field}` : ''}`
  const path = getPath(field)
  const fieldErrors = Array.isArray(errors) && errors.map((one) => ({ ...one, field: getPath(one.field) }))
  const sentence = error.message.startsWith(`${String(field)}:`)
    ? `tasks.${name}.${error.message}`
    : `tasks.${name}: ${error.message}`
  const taskDetails = { ...details, field: path, ...(fieldErrors && { errors: fieldErrors }), task: name }
  return new AppError(error.code, sentence, taskDetails, { cause: error.cause })
}

function parseTask(name: string, value: unknown): RequestedTask {
  if (!taskNamePattern.test(name))
    throw new AppError(
      'INVALID_REQUEST',
      `"${name.slice(0, maxNameLength)}" is not a valid task name: expected up to ${maxNameLength} letters, digits, hyphens and underscores.`,
    )
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('INVALID_INPUT', 'expected an object with an operation and its fields.')
  const fieldEntries = Object.entries(value).map(([field, value]) => [
    isCommonField(field) ? toSnakeCase(field) : field,
    value,
  ])
  const {
    operation: id,
    input = [],
    continue_on_error = false,
    ...otherFields
  } = parseInput(CommonFields, Object.fromEntries(fieldEntries), 'task')
  const operation = findPublicOperation(id)
  if (!operation)
    throw new AppError(
      'INVALID_REQUEST',
      `operation: "${id.slice(0, 64)}" does not exist; expected one of ${listOperationNames().join(', ')}.${formatSuggestion(suggestOperation(id))}`,
      { field: 'operation' },
    )
  const fields = normalizeFieldNames(otherFields, operation)
  rejectUnknownFields(fields, operation)
  const parsedFields = parseInput(operation.fields, fields, 'task')
  if (operation.kind === 'process') operation.parseSpec(parsedFields)
  return {
    name,
    operation,
    continueOnError: continue_on_error,
    ...parseInputs(input),
    fields: parsedFields,
  }
}

const listOperationNames = () => taskOperations.map(({ name }) => name)

/** Returns the operation that an unknown name most likely means, such as `encrypt-pdf` for `protect`. */
function suggestOperation(id: string): string | undefined {
  const names = listOperationNames()
  return findBySynonym(id).tools.find((tool) => names.includes(tool)) ?? findSimilar(id, names)
}

/** Maximum number of file selections per task, because the task's record contains them. */
const maxSelections = 100

type SentInput = z.infer<typeof CommonFields>['input']

/**
 * Parses the inputs of a task. Several inputs may select single files of the same task, which is then listed once. An
 * input task whose files would be used twice is listed twice, which is rejected later.
 */
function parseInputs(sentInput: NonNullable<SentInput>): Pick<RequestedTask, 'input' | 'sentInput'> {
  const inputs = Array.isArray(sentInput) ? sentInput : [sentInput]
  const wholeTasks: string[] = []
  const tasksOfFiles = new Set<string>()
  for (const input of inputs) {
    if (typeof input === 'string') wholeTasks.push(input)
    else if (input.file === undefined) wholeTasks.push(input.task)
    else tasksOfFiles.add(input.task)
  }
  const selectionCount = inputs.filter((input) => typeof input !== 'string').length
  if (selectionCount > maxSelections)
    throw new AppError(
      'INVALID_INPUT',
      `input: expected at most ${maxSelections} objects with a task and a file, got ${selectionCount}. A pattern such as page-0*.jpg selects many files at once.`,
      { field: 'input', max: maxSelections, got: selectionCount },
    )
  const isListOfNames = Array.isArray(sentInput) && inputs.every((input) => typeof input === 'string')
  return { input: [...wholeTasks, ...tasksOfFiles], ...(!isListOfNames && { sentInput }) }
}

/** Rejects unknown fields, except for processing operations, where they are options of the engine. */
function rejectUnknownFields(fields: Readonly<Record<string, unknown>>, operation: TaskOperation): void {
  if (operation.kind === 'process') return
  const knownFields = Object.keys(operation.fields.shape)
  const unknownField = Object.keys(fields).find((field) => !knownFields.includes(field))
  if (unknownField === undefined) return
  const field = unknownField.slice(0, 64)
  throw new AppError(
    'INVALID_INPUT',
    `${field}: not a field of ${operation.name}, which supports ${knownFields.join(', ')}.${formatSuggestion(findSimilar(field, knownFields))}`,
    {
      field,
      expected: knownFields,
    },
  )
}

/** Converts field names to snake_case; options keep their spelling. */
function normalizeFieldNames(fields: Readonly<Record<string, unknown>>, operation: TaskOperation) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      toSnakeCase(name) in operation.fields.shape ? toSnakeCase(name) : name,
      value,
    ]),
  )
}

/**
 * Checks how the tasks depend on each other.
 * @throws AppError INVALID_REQUEST for tasks that can never run or whose files are not used.
 */
function validateGraph(tasks: readonly RequestedTask[]): void {
  if (tasks.length === 0)
    throw new AppError('INVALID_REQUEST', 'tasks: expected at least one task.', { field: 'tasks' })
  const tasksByName = new Map(tasks.map((task) => [task.name, task]))
  const usedInputs = new Set(tasks.flatMap(({ input }) => input))
  for (const task of tasks) {
    for (const input of task.input) requireSource(task, input, tasksByName)
    requireInputCount(task)
  }
  for (const task of tasks) {
    if (!usedInputs.has(task.name) && task.operation.kind !== 'export' && !mayHaveNoConsumer(task))
      throw createGraphError(task, 'no task uses its files; add an export/url task with its name as input')
  }
  const cycleTask = findTaskInCycle(tasks, tasksByName)
  if (cycleTask) throw createInputError(cycleTask, 'its inputs form a cycle that leads back to it')
}

const createGraphError = ({ name }: Pick<RequestedTask, 'name'>, error: string, field = `tasks.${name}`) =>
  new AppError('INVALID_REQUEST', `tasks.${name}: ${error}.`, { task: name, field, error })

const createInputError = (task: RequestedTask, error: string) =>
  createGraphError(task, error, `tasks.${task.name}.input`)

/** Whether the result of an operation is shown in its task, so that no export is needed. */
const mayHaveNoConsumer = ({ operation }: RequestedTask) => isShownInTask(operation.name)

function requireSource(
  task: RequestedTask,
  input: string,
  tasksByName: ReadonlyMap<string, RequestedTask>,
): void {
  const source = tasksByName.get(input)
  if (!source)
    throw createInputError(task, `its input names the task "${input.slice(0, 64)}", which does not exist`)
  if (source === task) throw createInputError(task, 'it is its own input')
  if (source.operation.kind === 'export')
    throw createInputError(task, `input names ${input}, but exports provide no files to other tasks`)
}

function requireInputCount(task: RequestedTask): void {
  const { operation, input } = task
  const inputCount = input.length
  if (operation.kind === 'import') {
    if (inputCount > 0) throw createInputError(task, `${operation.name} is an import and takes no input`)
    return
  }
  const { min, max } = operation.kind === 'process' ? operation.inputs : { min: 1, max: maxTasks }
  if (new Set(input).size !== inputCount) throw createInputError(task, 'input names a task twice')
  if (inputCount < min)
    throw createInputError(
      task,
      `input is missing: send the name of a task whose files ${operation.name} should use`,
    )
  if (inputCount > max)
    throw createInputError(task, `${operation.name} takes at most ${max} input tasks, got ${inputCount}`)
}

/** Finds a task on a cycle by removing tasks whose inputs are all resolved (Kahn's algorithm). */
function findTaskInCycle(
  tasks: readonly RequestedTask[],
  tasksByName: ReadonlyMap<string, RequestedTask>,
): RequestedTask | undefined {
  const openInputCounts = new Map(tasks.map(({ name, input }) => [name, input.length]))
  const consumers = new Map<string, string[]>()
  for (const { name, input } of tasks) {
    for (const source of input) {
      const names = consumers.get(source) ?? []
      consumers.set(source, names)
      names.push(name)
    }
  }
  const readyTasks = tasks.filter(({ input }) => input.length === 0).map(({ name }) => name)
  for (const name of readyTasks) {
    openInputCounts.delete(name)
    for (const consumer of consumers.get(name) ?? []) {
      const remainingCount = (openInputCounts.get(consumer) ?? 0) - 1
      openInputCounts.set(consumer, remainingCount)
      if (remainingCount === 0) readyTasks.push(consumer)
    }
  }
  const [firstName] = openInputCounts.keys()
  return firstName === undefined ? undefined : tasksByName.get(firstName)
}
