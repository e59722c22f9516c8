import type { Change } from '../../lib/aws/table-expressions.ts'
import {
  createGraphRecords,
  type GraphRecords,
  type NewJob,
  type NewTask,
} from '../../lib/jobs/task-graph.ts'
import type { JobState, StoredFile, Task } from '../../lib/model/job.ts'

/** Job records for tests without a table. */

export const start = new Date('2026-01-01T00:00:00.000Z')
export const secondsLater = (seconds: number) => new Date(start.getTime() + seconds * 1000)
export const timestamp = (seconds: number) => secondsLater(seconds).toISOString()

export const file = (name: string, key = name): StoredFile => ({
  key,
  filename: name,
  format: 'png',
  mimeType: 'image/png',
  size: 1,
  sha256: '',
})

export const newTask = (
  name: string,
  ins: readonly number[],
  moreFields: Partial<NewTask> = {},
): NewTask => ({
  name,
  operation: 'convert',
  ins,
  spec: {},
  continueOnError: false,
  warnings: [],
  ...moreFields,
})

/** An import whose file is available from the start. */
export const createStoredImport = (name: string, filename = `${name}.png`): NewTask =>
  newTask(name, [], {
    operation: 'import/upload',
    fixed: { status: 'completed', files: [file(filename, `in/${name}`)] },
  })

/** An import that waits for an upload. */
export const createAwaitedUpload = (name: string): NewTask =>
  newTask(name, [], { operation: 'import/upload', awaited: { uploadId: 'upl_1', form: {} } })

/** An export of links to the files of other tasks. */
export const createExport = (name: string, ins: readonly number[], spec: NewTask['spec'] = {}): NewTask =>
  newTask(name, ins, { operation: 'export/url', spec, fixed: { status: 'pending' } })

export function createRecords(tasks: readonly NewTask[], moreFields: Partial<NewJob> = {}): GraphRecords {
  const display = { source: null, target: { format: 'webp' }, operations: ['convert'], pollS: 2 }
  const job = { id: 'job_1', owner: 'anon_1', requestId: 'req_1', tag: null, display, warnings: [] }
  const rules = { retentionS: 3600, require: 'all' as const, failFast: false }
  return createGraphRecords({ ...job, ...rules, tasks, ...moreFields }, start)
}

/** A job right after its creation. */
export function newJob(tasks: readonly NewTask[], moreFields: Partial<NewJob> = {}): JobState {
  const { job, fixed, tasks: recordedTasks } = createRecords(tasks, moreFields)
  return { job, fixed, tasks: recordedTasks, chunks: [] }
}

/** The same state with changed attributes of some tasks, by name. */
export const withTasks = (state: JobState, changes: Readonly<Record<string, Partial<Task>>>): JobState => ({
  ...state,
  tasks: state.tasks.map((task) => ({ ...task, ...changes[task.name] })),
})

export const complete = (second: number, ...files: StoredFile[]): Partial<Task> => ({
  status: 'completed',
  percent: 100,
  files,
  startedAt: timestamp(second - 1),
  endedAt: timestamp(second),
  open: undefined,
})

export const fail = (second: number, message: string): Partial<Task> => ({
  status: 'failed',
  code: 'CORRUPT_FILE',
  message,
  endedAt: timestamp(second),
  open: undefined,
})

type Attributes = Record<string, unknown>

/** Applies a change to a record like the table does; additions use the values from before the change. */
export function applyChange<T extends object>(record: T, change: Change): T {
  const recordBefore = structuredClone(record) as Attributes
  const recordAfter = structuredClone(recordBefore)
  const { set = {}, setOnce = {}, setPlus = {}, add = {}, remove = [] } = change
  for (const [path, value] of Object.entries(set)) if (value !== undefined) put(recordAfter, path, value)
  for (const [path, value] of Object.entries(setOnce))
    if (!(path in recordBefore)) put(recordAfter, path, value)
  for (const [path, [from, plus]] of Object.entries(setPlus))
    put(recordAfter, path, Number(recordBefore[from]) + plus)
  for (const [name, number] of Object.entries(add))
    recordAfter[name] = Number(recordBefore[name] ?? 0) + number
  for (const path of remove) put(recordAfter, path, undefined)
  changeSets(recordAfter, change)
  return recordAfter as T
}

/** Sets or deletes an attribute. A dot in the path selects a key of a map. */
function put(record: Attributes, path: string, value: unknown): void {
  const [firstName = '', secondName] = path.split('.')
  const attributes = secondName === undefined ? record : (record[firstName] as Attributes)
  if (value === undefined) delete attributes[secondName ?? firstName]
  else attributes[secondName ?? firstName] = value
}

function changeSets(record: Attributes, { include = {}, exclude = {} }: Change): void {
  const getNumbers = (name: string) => [...((record[name] as Set<number> | undefined) ?? [])]
  for (const [name, numbers] of Object.entries(include))
    record[name] = new Set([...getNumbers(name), ...numbers])
  for (const [name, numbers] of Object.entries(exclude)) {
    const remainingNumbers = getNumbers(name).filter((number) => !numbers.has(number))
    put(record, name, remainingNumbers.length > 0 ? new Set(remainingNumbers) : undefined)
  }
}
