import type { Change } from '../../lib/aws/table-expressions.ts'
import type { JobState, StoredFile, Task } from '../../lib/jobs/job.ts'
import {
  createGraphRecords,
  type GraphRecords,
  type NewJob,
  type NewTask,
} from '../../lib/jobs/task-graph.ts'

/** Records of jobs for tests that need no table. */

export const start = new Date('2026-01-01T00:00:00.000Z')
export const later = (seconds: number) => new Date(start.getTime() + seconds * 1000)
export const moment = (seconds: number) => later(seconds).toISOString()

export const file = (name: string, key = name): StoredFile => ({
  ...{ key, filename: name, format: 'png', mimeType: 'image/png', size: 1, sha256: '' },
})

export const task = (name: string, ins: readonly number[], more: Partial<NewTask> = {}): NewTask => ({
  ...{ name, operation: 'convert', ins, spec: {}, continueOnError: false, warnings: [], ...more },
})

/** A file that is there from the start. */
export const given = (name: string, filename = `${name}.png`): NewTask =>
  task(name, [], {
    operation: 'import/upload',
    fixed: { status: 'completed', files: [file(filename, `in/${name}`)] },
  })

/** An upload that the job waits for. */
export const awaited = (name: string): NewTask =>
  task(name, [], { operation: 'import/upload', awaited: { uploadId: 'upl_1', form: {} } })

/** A link to the files of others. */
export const exported = (name: string, ins: readonly number[], spec: NewTask['spec'] = {}): NewTask =>
  task(name, ins, { operation: 'export/url', spec, fixed: { status: 'pending' } })

export function records(tasks: readonly NewTask[], more: Partial<NewJob> = {}): GraphRecords {
  const display = { source: null, target: { format: 'webp' }, operations: ['convert'], pollS: 2 }
  const job = { id: 'job_1', owner: 'anon_1', requestId: 'req_1', tag: null, display, warnings: [] }
  const rules = { retentionS: 3600, require: 'all' as const, failFast: false }
  return createGraphRecords({ ...job, ...rules, tasks, ...more }, start)
}

/** The job as it is when it was made. */
export function newJob(tasks: readonly NewTask[], more: Partial<NewJob> = {}): JobState {
  const { job, fixed, tasks: recorded } = records(tasks, more)
  return { job, fixed, tasks: recorded, chunks: [] }
}

/** The same with other attributes of some tasks, by name. */
export const withTasks = (state: JobState, changes: Readonly<Record<string, Partial<Task>>>): JobState => ({
  ...state,
  tasks: state.tasks.map((one) => ({ ...one, ...changes[one.name] })),
})

export const completed = (second: number, ...files: StoredFile[]): Partial<Task> => ({
  ...{ status: 'completed', percent: 100, files },
  ...{ startedAt: moment(second - 1), endedAt: moment(second), open: undefined },
})

export const failed = (second: number, message: string): Partial<Task> => ({
  ...{ status: 'failed', code: 'CORRUPT_FILE', message, endedAt: moment(second), open: undefined },
})

type Attributes = Record<string, unknown>

/** What the table makes of a record by a change: values that are added to are those from before. */
export function changed<T extends object>(record: T, change: Change): T {
  const before = structuredClone(record) as Attributes
  const after = structuredClone(before)
  const { set = {}, setOnce = {}, setPlus = {}, remove = [] } = change
  for (const [path, value] of Object.entries(set)) if (value !== undefined) put(after, path, value)
  for (const [path, value] of Object.entries(setOnce)) if (!(path in before)) put(after, path, value)
  for (const [path, [from, plus]] of Object.entries(setPlus)) put(after, path, Number(before[from]) + plus)
  for (const path of remove) put(after, path, undefined)
  changeSets(after, change)
  return after as T
}

/** A dot leads into a map. */
function put(record: Attributes, path: string, value: unknown): void {
  const [first = '', second] = path.split('.')
  const place = second === undefined ? record : (record[first] as Attributes)
  if (value === undefined) delete place[second ?? first]
  else place[second ?? first] = value
}

function changeSets(record: Attributes, { include = {}, exclude = {} }: Change): void {
  const numbersOf = (name: string) => [...((record[name] as Set<number> | undefined) ?? [])]
  for (const [name, numbers] of Object.entries(include))
    record[name] = new Set([...numbersOf(name), ...numbers])
  for (const [name, numbers] of Object.entries(exclude)) {
    const left = numbersOf(name).filter((number) => !numbers.has(number))
    put(record, name, left.length > 0 ? new Set(left) : undefined)
  }
}
