import { setTimeout as sleep } from 'node:timers/promises'
import { Bus } from './aws/bus.ts'
import type { Connections } from './aws/connections.ts'
import { Files } from './aws/files.ts'
import type { Patience } from './aws/patience.ts'
import { Queues } from './aws/queues.ts'
import { Sockets } from './aws/sockets.ts'
import { documentClient, Table } from './aws/table.ts'
import { believedMs } from './believed.ts'
import type { Config } from './config.ts'
import { Durations } from './conversion/durations.ts'
import { receiveUpload } from './conversion/receive-upload.ts'
import { secretOptionsOf } from './conversion/start-job.ts'
import { Downloads } from './downloads.ts'
import type { Engine } from './engines/engine.ts'
import { engines } from './engines/index.ts'
import { resultLinks } from './http/result-links.ts'
import { type JobHint, Jobs } from './jobs/jobs.ts'
import { JobStore } from './jobs/store.ts'
import { type ListenersOf, listenersOf } from './listeners.ts'
import { createLog } from './log.ts'
import { readPlans } from './read-plans.ts'
import { deriveKey, keysOfDays, Vault } from './sealed.ts'
import type { Services } from './services.ts'
import { ShortMemory } from './short-memory.ts'
import type { Outgoing } from './transfer/outgoing.ts'
import { Uploads } from './uploads.ts'
import { RequestCounts } from './usage/request-counts.ts'

const pause: JobHint = (_jobId, { pauseMs }) => sleep(pauseMs, undefined)

interface Surroundings {
  /** Tells of changed jobs where something can push them into this process; elsewhere time passes. */
  readonly hint?: JobHint | undefined
  /** Serve those clients whose servers are near. */
  readonly connections?: Connections | undefined
  /** With stores that do not answer; each has as much as suits it when left out. */
  readonly patience?: Patience
}

export function createServices(
  config: Config,
  { hint = pause, connections = {}, patience }: Surroundings = {},
): Services {
  const log = createLog(config)
  const table = new Table(config, documentClient(config, patience))
  const files = new Files(config, connections, patience)
  const queues = new Queues(config, connections.sqs, patience)
  const bus = new Bus(config, connections.eventBridge, patience)
  const engines = usedEngines(config)
  const secret = secretOf(config)
  const download = keysOfDays(secret)
  const uploads = new Uploads(table)
  const listeners = new ShortMemory<ListenersOf>(believedMs)
  let outgoing: Promise<Outgoing> | undefined
  const jobs: Jobs = new Jobs({
    ...{ store: new JobStore(table), files, uploads, queues, bus, engines, log, hint },
    listenersOf: (owner) => listeners.get(owner, () => listenersOf(table, owner)),
    lookForUpload: (task) => receiveUpload(task.uploadId ?? '', { uploads, files, jobs }),
  })
  return {
    ...{ config, log, table, files, queues, bus, jobs, uploads, engines },
    sockets: new Sockets(config, connections.sockets),
    outgoing: () => (outgoing ??= openOutgoing(config)),
    durations: new Durations(table),
    requestCounts: new RequestCounts(table),
    downloads: new Downloads(table),
    resultLink: resultLinks(config.PUBLIC_URL ?? '', download),
    vault: new Vault(secret),
    plans: readPlans(config),
    keys: {
      owner: deriveKey(secret, 'owner'),
      cursor: deriveKey(secret, 'cursor'),
      idempotency: deriveKey(secret, 'idempotency'),
      accounts: deriveKey(secret, 'accounts'),
      download,
    },
    secretOptions: secretOptionsOf(engines),
  }
}

const openOutgoing = async ({ OUTGOING_ALLOW: allowed = [] }: Config) =>
  new (await import('./transfer/outgoing.ts')).Outgoing({ allowed })

function secretOf({ SERVICE_SECRET }: Config): string {
  if (SERVICE_SECRET) return SERVICE_SECRET
  throw new Error('SERVICE_SECRET is not set')
}

const usedEngines = ({ ENGINES }: Config): readonly Engine[] =>
  ENGINES ? engines.filter(({ id }) => ENGINES.includes(id)) : engines
