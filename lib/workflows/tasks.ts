import { snakeCase } from '../case-conversion.ts'
import { secretOptionNames } from '../engines/options.ts'
import { AppError } from '../errors.ts'
import { hidden, isSealed } from '../sealed.ts'
import type { Services } from '../services.ts'
import { findOperation } from '../tasks/index.ts'
import { namingTask, parseTasks, type RequestedTask } from '../tasks/parse-tasks.ts'
import type { Workflow } from './workflow.ts'

/** The task map of a workflow: what may stand in it, how it is stored, what a run makes of it. */

type TaskMap = Workflow['tasks']
type Fields = TaskMap[string]

/** What `${…}` stands for in one run. */
export interface RunFacts {
  /** `2026-12-31`, on the clocks of the workflow. */
  readonly date: string
  readonly runId: string
}

const factNames = ['date', 'runId'] as const satisfies readonly (keyof RunFacts)[]

/** Files that come with a request are there for one run only. */
const withRequest: readonly string[] = ['import/upload', 'import/base64']

/** @param id of the workflow, where the secrets will stand. @throws AppError for tasks that no run could work on. */
export function storedTasks(given: TaskMap, id: string, services: Services): TaskMap {
  const stored = mapTasks(given, (name, fields) => {
    refuseHidden(name, fields)
    return sealed(fields, id, services)
  })
  const tasks = requestedTasks({ id, tasks: stored }, { date: '2026-12-31', runId: 'run_' }, services)
  const once = tasks.find(({ operation }) => withRequest.includes(operation.name))
  if (once)
    throw new AppError(
      'INVALID_INPUT',
      `tasks.${once.name}.operation: ${once.operation.name} brings one file once; a workflow takes import/url, import/raw or a store.`,
      { field: `tasks.${once.name}.operation` },
    )
  return stored
}

/** The tasks of one run. @throws AppError INVALID_INPUT */
export function requestedTasks(
  { id, tasks }: Pick<Workflow, 'id' | 'tasks'>,
  facts: RunFacts,
  { vault }: Services,
): RequestedTask[] {
  // Filled in before they are opened: what stands in a secret is meant as it stands.
  return parseTasks(
    vault.openAll(
      mapTasks(tasks, (name, fields) => filled(name, fields, facts)),
      id,
    ),
  )
}

const mapTasks = (tasks: TaskMap, change: (name: string, fields: Fields) => Fields): TaskMap =>
  Object.fromEntries(Object.entries(tasks).map(([name, fields]) => [name, change(name, fields)]))

function sealed(fields: Fields, id: string, { vault }: Services): Fields {
  const operation = findOperation(String(fields['operation']))
  const own = operation && 'secrets' in operation ? (operation.secrets ?? []) : []
  const secrets = (of: object) =>
    new Set(Object.keys(of).filter((name) => secretOptionNames.has(name) || own.includes(snakeCase(name))))
  const { options } = fields
  const all = vault.sealSome(fields, secrets(fields), id)
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return all
  return { ...all, options: vault.sealSome({ ...options }, secrets(options), id) }
}

/** Who sends back what was shown would set a secret to three stars. */
function refuseHidden(name: string, fields: Fields): void {
  const shown = Object.entries({ ...fields, ...(fields['options'] as object | undefined) })
  const [field] = shown.find(([, value]) => value === hidden) ?? []
  if (field === undefined) return
  const sentence = `${field}: "${hidden}" stands for a secret that is not shown. Send the secret itself.`
  throw namingTask(name, new AppError('INVALID_INPUT', sentence, { field }))
}

/** Every text but that of a file itself. */
function filled(name: string, fields: Fields, facts: RunFacts): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      field,
      field === 'file' ? value : filledValue(value, (fact) => factOf(fact, { name, field, facts })),
    ]),
  )
}

function filledValue(value: unknown, factNamed: (name: string) => string): unknown {
  if (typeof value === 'string') return value.replace(/\$\{(\w*)\}/g, (_, name: string) => factNamed(name))
  if (Array.isArray(value)) return value.map((one) => filledValue(one, factNamed))
  if (typeof value !== 'object' || value === null || isSealed(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filledValue(one, factNamed)]))
}

function factOf(
  fact: string,
  { name, field, facts }: { readonly name: string; readonly field: string; readonly facts: RunFacts },
): string {
  const known = factNames.find((one) => one === fact)
  if (known) return facts[known]
  const expected = factNames.map((one) => `\${${one}}`).join(' or ')
  const sentence = `${field}: expected ${expected}, got "\${${fact.slice(0, 32)}}".`
  throw namingTask(name, new AppError('INVALID_INPUT', sentence, { field }))
}
