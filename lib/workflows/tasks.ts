import { requirePublicAddresses, requireSupportedOptions } from '../conversion/check-tasks.ts'
import { isSealed, redacted } from '../crypto/sealed.ts'
import type { Engine } from '../engines/engine.ts'
import { secretOptionNames } from '../engines/options.ts'
import { AppError } from '../errors.ts'
import { toSnakeCase } from '../names/case-conversion.ts'
import type { Services } from '../services/services.ts'
import { findTaskOperation } from '../tasks/index.ts'
import {
  addTaskToError,
  addTaskToErrors,
  isCommonField,
  parseTasks,
  type RequestedTask,
} from '../tasks/parse-tasks.ts'
import { clearUnknownFields } from '../tasks/unknown-options.ts'
import type { Workflow } from './workflow.ts'

/** Validates and stores the task map of a workflow, and creates the tasks of a run. */

type TaskMap = Workflow['tasks']
type Fields = TaskMap[string]

/** Values of the placeholders `${…}` in one run. */
interface RunVariables {
  /** Date of the run in the time zone of the workflow, such as `2026-12-31`. */
  readonly date: string
  readonly runId: string
}

const variableNames = ['date', 'runId'] as const satisfies readonly (keyof RunVariables)[]

/** Imports of files that are only available for one run. */
const oneTimeImports: readonly string[] = ['import/upload', 'import/base64']

/** Validates tasks and seals their secrets. @param id id of the workflow. @throws AppError for invalid tasks. */
export async function prepareTasks(taskMap: TaskMap, id: string, services: Services): Promise<TaskMap> {
  const engines = await services.engines()
  const storedTasks = mapTasks(taskMap, (name, fields) => {
    rejectRedactedSecrets(name, fields)
    // A task that looks like a sealed value is invalid, which is reported below.
    if (isSealed(fields)) return {}
    return sealFields(clearUnknownOptions(fields, engines), id, services)
  })
  const tasks = createRunTasks({ id, tasks: storedTasks }, { date: '2026-12-31', runId: 'run_' }, services)
  const byName = new Map(tasks.map((task) => [task.name, task]))
  for (const task of tasks)
    addTaskToErrors(task.name, () => {
      requirePublicAddresses(task, services.config)
      requireSupportedOptions(task, { tasksByName: byName, engines, hasPlan: false })
    })
  const oneTimeTask = tasks.find(({ operation }) => oneTimeImports.includes(operation.name))
  if (oneTimeTask)
    throw new AppError(
      'INVALID_INPUT',
      `tasks.${oneTimeTask.name}.operation: ${oneTimeTask.operation.name} imports a file only once; workflows need import/url, import/raw or an import from a store.`,
      { field: `tasks.${oneTimeTask.name}.operation` },
    )
  return storedTasks
}

/** Creates the tasks of one run. @throws AppError INVALID_INPUT */
export function createRunTasks(
  { id, tasks }: Pick<Workflow, 'id' | 'tasks'>,
  variables: RunVariables,
  { vault }: Services,
): RequestedTask[] {
  // Placeholders are filled before secrets are unsealed, so that secrets are never changed.
  return parseTasks(
    vault.unsealAll(
      mapTasks(tasks, (name, fields) => fillFields(name, fields, variables)),
      id,
    ),
  )
}

const mapTasks = (tasks: TaskMap, change: (name: string, fields: Fields) => Fields): TaskMap =>
  Object.fromEntries(Object.entries(tasks).map(([name, fields]) => [name, change(name, fields)]))

function clearUnknownOptions(fields: Fields, engines: readonly Engine[]): Fields {
  const operation = findTaskOperation(String(fields['operation']))
  // For other operations, the request is refused if it has unknown fields.
  if (operation?.kind !== 'process') return fields
  const { options } = fields
  const commonFields = Object.entries(fields).filter(([name]) => isCommonField(name))
  const clearedFields = {
    ...clearUnknownFields(fields, operation, engines),
    ...Object.fromEntries(commonFields),
  }
  if (!isPlainObject(options) || isSealed(options)) return clearedFields
  return { ...clearedFields, options: clearUnknownFields(options, operation, engines) }
}

const isPlainObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function sealFields(fields: Fields, id: string, { vault }: Services): Fields {
  const operation = findTaskOperation(String(fields['operation']))
  const operationSecrets = operation && 'secrets' in operation ? (operation.secrets ?? []) : []
  const secrets = (of: object) =>
    new Set(
      Object.keys(of).filter(
        (name) => secretOptionNames.has(name) || operationSecrets.includes(toSnakeCase(name)),
      ),
    )
  const { options } = fields
  const sealedFields = vault.sealClientSecrets(fields, secrets(fields), id)
  if (!isPlainObject(options) || isSealed(options)) return sealedFields
  return { ...sealedFields, options: vault.sealClientSecrets(options, secrets(options), id) }
}

/** Rejects redacted secrets: a client that sends back what it received would replace the secret by `***`. */
function rejectRedactedSecrets(name: string, fields: Fields): void {
  // Any value can be spread; only objects add fields.
  const allFields = Object.entries({ ...fields, ...(fields['options'] as object | undefined) })
  const [field] = allFields.find(([, value]) => value === redacted) ?? []
  if (field === undefined) return
  const sentence = `${field}: "${redacted}" is a placeholder for a hidden secret. Send the secret itself.`
  throw addTaskToError(name, new AppError('INVALID_INPUT', sentence, { field }))
}

/** Fills placeholders in all strings except file content. */
function fillFields(name: string, fields: Fields, variables: RunVariables): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      field,
      field === 'file'
        ? value
        : fillValue(value, (variable) => getVariableValue(variable, { name, field, variables })),
    ]),
  )
}

function fillValue(value: unknown, lookUp: (name: string) => string): unknown {
  if (typeof value === 'string') return value.replace(/\$\{(\w*)\}/g, (_, name: string) => lookUp(name))
  if (Array.isArray(value)) return value.map((item) => fillValue(item, lookUp))
  if (typeof value !== 'object' || value === null || isSealed(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillValue(one, lookUp)]))
}

function getVariableValue(
  variable: string,
  {
    name,
    field,
    variables,
  }: { readonly name: string; readonly field: string; readonly variables: RunVariables },
): string {
  const knownVariable = variableNames.find((variableName) => variableName === variable)
  if (knownVariable) return variables[knownVariable]
  const expected = variableNames.map((variableName) => `\${${variableName}}`).join(' or ')
  const sentence = `${field}: expected ${expected}, got "\${${variable.slice(0, 32)}}".`
  throw addTaskToError(name, new AppError('INVALID_INPUT', sentence, { field }))
}
