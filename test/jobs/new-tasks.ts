import { createGraphRecords, type NewJob, type NewTask } from '../../lib/jobs/task-graph.ts'
import type { StoredFile } from '../../lib/model/job.ts'
import { importedDocument, importedFile } from './no-op-engine.ts'

/** Task graphs for tests: the name of each task with its input tasks. */

export interface TaskInputs {
  readonly from: readonly string[]
  readonly continueOnError?: boolean
}

const newTask = (name: string, operation: string): NewTask => ({
  name,
  operation,
  ins: [],
  spec: {},
  continueOnError: false,
  warnings: [],
})

export const createImport = (name = 'import', file: StoredFile = importedFile): NewTask => ({
  ...newTask(name, 'import/base64'),
  fixed: { status: 'completed', files: [file] },
})

export const createAwaitedUpload = (name: string, uploadId: string): NewTask => ({
  ...newTask(name, 'import/upload'),
  awaited: { uploadId, form: { form: { url: 'http://localhost', parameters: {} } } },
})

/** Creates tasks after one import, with an export of the tasks that no other task uses. */
export function createGraph(
  inputsByTask: Readonly<Record<string, TaskInputs>>,
  imports = [createImport()],
): NewTask[] {
  const names = [...imports.map(({ name }) => name), ...Object.keys(inputsByTask)]
  const getTaskNumber = (name: string) => {
    const number = names.indexOf(name)
    if (number < 0) throw new Error(`there is no task ${name}`)
    return number
  }
  const workTasks = Object.entries(inputsByTask).map(
    ([name, { from, continueOnError = false }]): NewTask => ({
      ...newTask(name, 'watermark'),
      ins: from.map(getTaskNumber),
      spec: { options: { name } },
      continueOnError,
    }),
  )
  const usedTasks = new Set(Object.values(inputsByTask).flatMap(({ from }) => from))
  const leaves = Object.keys(inputsByTask).filter((name) => !usedTasks.has(name))
  const finalExport = { ...newTask('export', 'export/url'), ins: leaves.map(getTaskNumber) }
  return [...imports, ...workTasks, { ...finalExport, fixed: { status: 'pending' } }]
}

/** A document whose conversion to PNG needs two container images. */
export const documentGraph = (): NewTask[] => {
  const [source, workTask, exportTask] = createGraph({ a: { from: ['import'] } }, [
    createImport('import', importedDocument),
  ])
  if (!source || !workTask || !exportTask) throw new Error('a graph of one has three tasks')
  return [source, { ...workTask, operation: 'convert', spec: { to: 'png', options: {} } }, exportTask]
}

const createNumberedNames = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`)

export const singleTask = () => createGraph({ a: { from: ['import'] } })

/** Six tasks: a; b and c after a; d after both; e and f after d. */
export const diamond = (changes: Readonly<Record<string, Partial<TaskInputs>>> = {}) =>
  createGraph({
    a: { from: ['import'], ...changes['a'] },
    b: { from: ['a'], ...changes['b'] },
    c: { from: ['a'], ...changes['c'] },
    d: { from: ['b', 'c'], ...changes['d'] },
    e: { from: ['d'], ...changes['e'] },
    f: { from: ['d'], ...changes['f'] },
  })

/** One task with `count` dependents. */
export const fanOut = (count: number) =>
  createGraph({
    root: { from: ['import'] },
    ...Object.fromEntries(createNumberedNames(count, 't').map((name) => [name, { from: ['root'] }])),
  })

/** `count` tasks with one common dependent. */
export const fanIn = (count: number) =>
  createGraph({
    ...Object.fromEntries(createNumberedNames(count, 't').map((name) => [name, { from: ['import'] }])),
    sink: { from: createNumberedNames(count, 't') },
  })

/** One task, `count` dependents, and one task that depends on all of them. */
export const fanOutAndIn = (count: number) =>
  createGraph({
    root: { from: ['import'] },
    ...Object.fromEntries(createNumberedNames(count, 't').map((name) => [name, { from: ['root'] }])),
    sink: { from: createNumberedNames(count, 't') },
  })

export const chain = (count: number) =>
  createGraph(
    Object.fromEntries(
      createNumberedNames(count, 't').map((name, at) => [
        name,
        { from: [at === 0 ? 'import' : `t${at - 1}`] },
      ]),
    ),
  )

export const createRecords = (id: string, tasks: readonly NewTask[], moreFields: Partial<NewJob> = {}) =>
  createGraphRecords(
    {
      id,
      owner: 'anon_1',
      requestId: 'req_1',
      tag: null,
      warnings: [],
      retentionS: 3600,
      display: { source: null, target: { format: 'png' }, operations: ['watermark'], pollS: 2 },
      require: 'all',
      failFast: false,
      tasks,
      ...moreFields,
    },
    new Date(),
  )
