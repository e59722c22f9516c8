import { Bus } from './aws/bus.ts'
import { Files } from './aws/files.ts'
import { Queues } from './aws/queues.ts'
import { Table } from './aws/table.ts'
import type { Config } from './config.ts'
import type { Engine } from './engines/engine.ts'
import { engines } from './engines/index.ts'
import { type JobHint, Jobs } from './jobs/jobs.ts'
import { JobStore } from './jobs/store.ts'
import { createLog, type Log } from './log.ts'
import { Uploads } from './uploads.ts'

/** What handlers work with; made once per process. */
export interface Services {
  readonly config: Config
  readonly log: Log
  readonly table: Table
  readonly files: Files
  readonly queues: Queues
  readonly jobs: Jobs
  readonly uploads: Uploads
  /** Those that are installed here. */
  readonly engines: readonly Engine[]
}

const pause: JobHint = (_jobId, { pauseMs }) => new Promise((resolve) => setTimeout(resolve, pauseMs))

/** `hint` tells of changed jobs where something can push them into this process; elsewhere time passes. */
export function createServices(config: Config, hint: JobHint = pause): Services {
  const log = createLog(config)
  const table = new Table(config)
  const files = new Files(config)
  const queues = new Queues(config)
  const jobs = new Jobs({ store: new JobStore(table), files, queues, bus: new Bus(config), log, hint })
  return {
    config,
    log,
    table,
    files,
    queues,
    jobs,
    uploads: new Uploads(table),
    engines: usedEngines(config),
  }
}

const usedEngines = ({ ENGINES }: Config): readonly Engine[] =>
  ENGINES ? engines.filter(({ id }) => ENGINES.includes(id)) : engines
