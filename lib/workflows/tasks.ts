import { snakeCase } from '../case-conversion.ts'
import { secretOptionNames } from '../engines/options.ts'
import { AppError } from '../errors.ts'
import { hidden, isSealed } from '../sealed.ts'
import type { Services } from '../services.ts'
import { findTaskOperation } from '../tasks/index.ts'
import { addTaskToError, parseTasks, type RequestedTask } from '../tasks/parse-tasks.ts'
import type { Workflow } from './workflow.ts'

/** The task map of a workflow: what may stand in it, how it is stored, what a run makes of it. */

type TaskMap = Workflow['tasks']
type Fields = TaskMap[string]

/** What `${…}` stands for in one run. */
export interface RunVariables {
  /** `2026-12-31`, on the clocks of the workflow. */
  readonly date: string
  readonly runId: string
}

const variableNames = ['date', 'runId'] as const satisfies readonly (keyof RunVariables)[]

/** Files that come with a request are there for one run only. */
const oneTimeImports: readonly string[] = ['import/upload', 'import/base64']

/** @param id of the workflow, where the secrets will stand. @throws AppError for tasks that no run could work on. */
export function prepareTasks(given: TaskMap, id: string, services: Services): TaskMap {
  const stored = mapTasks(given, (name, fields) => {
    rejectRedacted(name, fields)
    return sealFields(fields, id, services)
  })
  const tasks = createRunTasks({ id, tasks: stored }, { date: '2026-12-31', runId: 'run_' }, services)
  const oneTimeTask = tasks.find(({ operation }) => oneTimeImports.includes(operation.name))
  if (oneTimeTask)
    throw new AppError(
      'INVALID_INPUT',
      `tasks.${oneTimeTask.name}.operation: ${oneTimeTask.operation.name} brings one file once; a workflow takes import/url, import/raw or a store.`,
      { field: `tasks.${oneTimeTask.name}.operation` },
    )
  return stored
}

/** The tasks of one run. @throws AppError INVALID_INPUT */
export function createRunTasks(
  { id, tasks }: Pick<Workflow, 'id' | 'tasks'>,
  variables: RunVariables,
  { vault }: Services,
): RequestedTask[] {
  // Filled in before they are opened: what stands in a secret is meant as it stands.
  return parseTasks(
    vault.openAll(
      mapTasks(tasks, (name, fields) => fillFields(name, fields, variables)),
      id,
    ),
  )
}

const mapTasks = (tasks: TaskMap, change: (name: string, fields: Fields) => Fields): TaskMap =>
  Object.fromEntries(Object.entries(tasks).map(([name, fields]) => [name, change(name, fields)]))

function sealFields(fields: Fields, id: string, { vault }: Services): Fields {
  const operation = findTaskOperation(String(fields['operation']))
  const operationSecrets = operation && 'secrets' in operation ? (operation.secrets ?? []) : []
  const secrets = (of: object) =>
    new Set(
      Object.keys(of).filter(
        (name) => secretOptionNames.has(name) || operationSecrets.includes(snakeCase(name)),
      ),
    )
  const { options } = fields
  const all = vault.sealSome(fields, secrets(fields), id)
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return all
  return { ...all, options: vault.sealSome({ ...options }, secrets(options), id) }
}

/** Who sends back what was shown would set a secret to three stars. */
function rejectRedacted(name: string, fields: Fields): void {
  const shown = Object.entries({ ...fields, ...(fields['options'] as object | undefined) })
  const [field] = shown.find(([, value]) => value === hidden) ?? []
  if (field === undefined) return
  const sentence = `${field}: "${hidden}" stands for a secret that is not shown. Send the secret itself.`
  throw addTaskToError(name, new AppError('INVALID_INPUT', sentence, { field }))
}

/** Every text but that of a file itself. */
function fillFields(name: string, fields: Fields, variables: RunVariables): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      field,
      field === 'file'
        ? value
        : fillValue(value, (variable) => variableValue(variable, { name, field, variables })),
    ]),
  )
}

function fillValue(value: unknown, lookUp: (name: string) => string): unknown {
  if (typeof value === 'string') return value.replace(/\$\{(\w*)\}/g, (_, name: string) => lookUp(name))
  if (Array.isArray(value)) return value.map((one) => fillValue(one, lookUp))
  if (typeof value !== 'object' || value === null || isSealed(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillValue(one, lookUp)]))
}

function variableValue(
  variable: string,
  {
    name,
    field,
    variables,
  }: { readonly name: string; readonly field: string; readonly variables: RunVariables },
): string {
  const known = variableNames.find((one) => one === variable)
  if (known) return variables[known]
  const expected = variableNames.map((one) => `\${${one}}`).join(' or ')
  const sentence = `${field}: expected ${expected}, got "\${${variable.slice(0, 32)}}".`
  throw addTaskToError(name, new AppError('INVALID_INPUT', sentence, { field }))
}
