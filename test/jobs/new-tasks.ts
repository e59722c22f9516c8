import type { StoredFile } from '../../lib/jobs/job.ts'
import { createGraphRecords, type NewJob, type NewTask } from '../../lib/jobs/task-graph.ts'
import { importedDocument, importedFile } from './no-op-engine.ts'

/** Tasks of no work by name, each with those whose files it takes. */

export interface Wanted {
  readonly from: readonly string[]
  readonly continueOnError?: boolean
}

const newTask = (name: string, operation: string): NewTask => ({
  ...{ name, operation, ins: [], spec: {}, continueOnError: false, warnings: [] },
})

export const imported = (name = 'import', file: StoredFile = importedFile): NewTask => ({
  ...newTask(name, 'import/base64'),
  fixed: { status: 'completed', files: [file] },
})

export const awaited = (name: string, uploadId: string): NewTask => ({
  ...newTask(name, 'import/upload'),
  awaited: { uploadId, form: { form: { url: 'http://localhost', parameters: {} } } },
})

/** The tasks after one import, with an export of those that nobody takes. */
export function graph(wanted: Readonly<Record<string, Wanted>>, imports = [imported()]): NewTask[] {
  const names = [...imports.map(({ name }) => name), ...Object.keys(wanted)]
  const numberOf = (name: string) => {
    const number = names.indexOf(name)
    if (number < 0) throw new Error(`no task is called ${name}`)
    return number
  }
  const works = Object.entries(wanted).map(
    ([name, { from, continueOnError = false }]): NewTask => ({
      ...newTask(name, 'watermark'),
      ins: from.map(numberOf),
      spec: { options: { name } },
      continueOnError,
    }),
  )
  const taken = new Set(Object.values(wanted).flatMap(({ from }) => from))
  const leaves = Object.keys(wanted).filter((name) => !taken.has(name))
  const exported = { ...newTask('export', 'export/url'), ins: leaves.map(numberOf) }
  return [...imports, ...works, { ...exported, fixed: { status: 'pending' } }]
}

/** A document that becomes a picture by way of two images. */
export const document = (): NewTask[] => {
  const [source, work, out] = graph({ a: { from: ['import'] } }, [imported('import', importedDocument)])
  if (!source || !work || !out) throw new Error('a graph of one has three tasks')
  return [source, { ...work, operation: 'convert', spec: { to: 'png', options: {} } }, out]
}

const numbered = (count: number, prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}${at}`)

export const one = () => graph({ a: { from: ['import'] } })

/** Six tasks: a, then b and c, d of both, and e and f of d. */
export const diamond = (changes: Readonly<Record<string, Partial<Wanted>>> = {}) =>
  graph({
    a: { from: ['import'], ...changes['a'] },
    b: { from: ['a'], ...changes['b'] },
    c: { from: ['a'], ...changes['c'] },
    d: { from: ['b', 'c'], ...changes['d'] },
    e: { from: ['d'], ...changes['e'] },
    f: { from: ['d'], ...changes['f'] },
  })

/** A task and so many that take its files. */
export const fanOut = (count: number) =>
  graph({
    root: { from: ['import'] },
    ...Object.fromEntries(numbered(count, 't').map((name) => [name, { from: ['root'] }])),
  })

/** So many tasks and one that takes the files of all. */
export const fanIn = (count: number) =>
  graph({
    ...Object.fromEntries(numbered(count, 't').map((name) => [name, { from: ['import'] }])),
    sink: { from: numbered(count, 't') },
  })

/** Both: a task, so many that take its files, and one that takes the files of all. */
export const fanOutAndIn = (count: number) =>
  graph({
    root: { from: ['import'] },
    ...Object.fromEntries(numbered(count, 't').map((name) => [name, { from: ['root'] }])),
    sink: { from: numbered(count, 't') },
  })

export const chain = (count: number) =>
  graph(
    Object.fromEntries(
      numbered(count, 't').map((name, at) => [name, { from: [at === 0 ? 'import' : `t${at - 1}`] }]),
    ),
  )

export const records = (id: string, tasks: readonly NewTask[], wishes: Partial<NewJob> = {}) =>
  createGraphRecords(
    {
      ...{ id, owner: 'anon_1', requestId: 'req_1', tag: null, warnings: [], retentionS: 3600 },
      display: { source: null, target: { format: 'png' }, operations: ['watermark'], pollS: 2 },
      ...{ require: 'all', failFast: false, tasks },
      ...wishes,
    },
    new Date(),
  )
