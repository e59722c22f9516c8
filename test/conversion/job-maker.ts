import { readFileSync } from 'node:fs'
import type { ImportSource, JobRequest } from '../../lib/conversion/job-request.ts'
import type { SourceFile } from '../../lib/conversion/source.ts'
import { startJob } from '../../lib/conversion/start-job.ts'
import { newId } from '../../lib/ids.ts'
import type { JobState } from '../../lib/model/job.ts'
import { parseTasks } from '../../lib/tasks/parse-tasks.ts'
import type { NewUpload } from '../../lib/uploads/uploads.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'

/** Creates jobs like the endpoints do, on the embedded servers and without workers. */

export const owner = 'anon_1'
export const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url))

export const importTask = { operation: 'import/upload' }
export const pdfTask = { operation: 'convert', input: 'in', output_format: 'pdf' }
export const createExport = (input: string | readonly string[]) => ({ operation: 'export/url', input })

/** Creates a stored file; `adopted` counts how many times a job has adopted it. */
export function source(filename: string, bytes: Uint8Array, moreFields: Partial<SourceFile> = {}) {
  const usage = { adopted: 0 }
  const sourceFile: SourceFile = {
    field: 'file',
    filename,
    key: `received/2d/${newId('upl')}`,
    size: bytes.length,
    sha256: '',
    read: async (start, end) => bytes.subarray(start, end),
    adopt: () => {
      usage.adopted += 1
    },
    ...moreFields,
  }
  return Object.assign(usage, { source: sourceFile })
}
export const createText = (name = 'a.txt') => source(name, Buffer.from('A text.'))
export const createEmptySource = () => source('b.txt', Buffer.alloc(0))

type JobFields = Partial<Omit<JobRequest, 'tasks' | 'imports'>>
type Tasks = Readonly<Record<string, unknown>>
type Imports = Readonly<Record<string, ImportSource>>

export interface Maker {
  readonly app: EmbeddedApp
  /** Creates the record of an upload without its file. */
  upload(overrides?: Partial<NewUpload>): Promise<NewUpload>
  job(tasks: Tasks, imports: Imports, overrides?: JobFields): Promise<JobState>
}

/** Opens the servers that all tests of a test file share. */
export function openMaker(): Maker {
  let app: EmbeddedApp | undefined
  const requireApp = () => {
    if (app) return app
    throw new Error('the embedded servers are not open yet')
  }
  before(async () => {
    app = await openApp()
  })
  after(() => app?.close())
  return {
    get app() {
      return requireApp()
    },
    async upload(overrides = {}) {
      const id = newId('upl')
      const now = Date.now()
      const record = {
        id,
        owner,
        keyId: null,
        key: `uploads/2d/${id}`,
        filename: 'a.txt',
        contentType: 'text/plain',
        createdAt: new Date(now).toISOString(),
        expiresAt: new Date(now + 3_600_000).toISOString(),
        ...overrides,
      }
      await requireApp().services.uploads.create(record)
      return record
    },
    job: (tasks, imports, overrides = {}) =>
      startJob(
        {
          owner,
          requestId: 'req_1',
          imports: new Map(Object.entries(imports)),
          tasks: parseTasks(tasks),
          ...overrides,
        },
        requireApp().services,
      ),
  }
}

export const findTask = ({ tasks }: JobState, name: string) => tasks.find((task) => task.name === name)
export const findFixedTask = ({ fixed }: JobState, name: string) => fixed.find((task) => task.name === name)
