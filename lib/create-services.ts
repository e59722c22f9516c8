import { setTimeout as sleep } from 'node:timers/promises'
import { Bus } from './aws/bus.ts'
import type { Connections } from './aws/connections.ts'
import { Files } from './aws/files.ts'
import { Queues } from './aws/queues.ts'
import { Sockets } from './aws/sockets.ts'
import { documentClient, Table } from './aws/table.ts'
import type { Patience } from './aws/timeouts.ts'
import type { Config } from './config.ts'
import { DurationStats } from './conversion/duration-stats.ts'
import { Downloads } from './download-limit.ts'
import type { Engine } from './engines/engine.ts'
import { createResultLink } from './http/result-links.ts'
import { type WaitForJobChange, Jobs } from './jobs/jobs.ts'
import { JobStore } from './jobs/store.ts'
import { preparingSender, createDirectSender, type TaskSender } from './jobs/task-sender.ts'
import { started } from './lazy-async.ts'
import { createLog } from './log.ts'
import { readPlans } from './read-plans.ts'
import { deriveKey, keysOfDays, Vault } from './sealed.ts'
import type { Services } from './services.ts'
import { believedMs } from './subscriber-cache.ts'
import { type ListenersOf, listenersOf } from './subscribers.ts'
import type { Outgoing } from './transfer/guarded-http.ts'
import { ShortMemory } from './ttl-cache.ts'
import { Uploads } from './uploads.ts'
import { RequestCounts } from './usage/request-counts.ts'

const pause: WaitForJobChange = (_jobId, { pauseMs }) => sleep(pauseMs, undefined)

interface Surroundings {
  /** Tells of changed jobs where something can push them into this process; elsewhere time passes. */
  readonly hint?: WaitForJobChange | undefined
  /** Serve those clients whose servers are near. */
  readonly connections?: Connections | undefined
  /** With stores that do not answer; each has as much as suits it when left out. */
  readonly patience?: Patience
  /** Gives workers the files and secrets of their tasks, which reach them in no other way. */
  readonly signsWork?: boolean
}

export function createServices(
  config: Config,
  { hint: waitForChange = pause, connections = {}, patience, signsWork = false }: Surroundings = {},
): Services {
  const log = createLog(config)
  const table = new Table(config, documentClient(config, patience))
  const files = new Files(config, connections, patience)
  const queues = new Queues(config, connections.sqs, patience)
  const bus = new Bus(config, connections.eventBridge, patience)
  const engines = once(() => usedEngines(config))
  const store = new JobStore(table)
  const secret = once(() => secretOf(config))
  const download = once(() => keysOfDays(secret()))
  const vault = once(() => new Vault(secret()))
  const keys = once(() => ({ ...keysOf(secret()), download: download() }))
  const uploads = new Uploads(table)
  const listeners = new ShortMemory<ListenersOf>(believedMs)
  let outgoing: Promise<Outgoing> | undefined
  const jobs: Jobs = new Jobs({
    ...{ store, files, uploads, queues, bus, log, waitForChange },
    taskSender: outletOf({ config, store, files, engines, vault, signsWork }),
    getSubscribers: (owner) => listeners.get(owner, () => listenersOf(table, owner)),
    checkForUpload: async (task) => {
      const { receiveUpload } = await import('./conversion/receive-upload.ts')
      return receiveUpload(task.uploadId ?? '', { uploads, files, jobs })
    },
  })
  const services: Services = {
    ...{ config, log, table, files, queues, bus, jobs, uploads, engines },
    sockets: new Sockets(config, connections.sockets),
    outgoing: () => (outgoing ??= openOutgoing(config)),
    durations: new DurationStats(table),
    requestCounts: new RequestCounts(table),
    downloads: new Downloads(table),
    resultLink: createResultLink(config.PUBLIC_URL ?? '', (day) => download()(day)),
    get vault() {
      return vault()
    },
    plans: readPlans(config),
    get keys() {
      return keys()
    },
    at: (other) => ({
      ...services,
      config: other,
      files: new Files(other, connections, patience),
      resultLink: createResultLink(other.PUBLIC_URL ?? '', download()),
    }),
  }
  return services
}

const keysOf = (secret: string) => ({
  owner: deriveKey(secret, 'owner'),
  cursor: deriveKey(secret, 'cursor'),
  idempotency: deriveKey(secret, 'idempotency'),
  accounts: deriveKey(secret, 'accounts'),
  signedUrls: deriveKey(secret, 'signed urls'),
})

/** Made when it is first wanted: engines do without the service's secret, and all that is made of it. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function outletOf({
  config,
  signsWork,
  store,
  engines,
  files,
  vault,
}: {
  readonly config: Config
  readonly signsWork: boolean
  readonly store: JobStore
  readonly engines: Services['engines']
  readonly files: Files
  readonly vault: () => Vault
}): TaskSender {
  const planned = createDirectSender({ store, engines })
  if (config.TASK_FILES === 'direct') return planned
  if (!signsWork) return preparingSender
  const signs = started(async () => {
    const [{ createPresigningSender }, { WorkSigner }] = await Promise.all([
      import('./jobs/presign-work.ts'),
      import('./aws/task-url-signer.ts'),
    ])
    return createPresigningSender(planned, { store, files, vault: vault(), signer: new WorkSigner(config) })
  })
  return { ...preparingSender, route: async (task, known) => (await signs()).route(task, known) }
}

const openOutgoing = async ({ OUTGOING_ALLOW: allowed = [] }: Config) =>
  new (await import('./transfer/guarded-http.ts')).Outgoing({ allowed })

function secretOf({ SERVICE_SECRET }: Config): string {
  if (SERVICE_SECRET) return SERVICE_SECRET
  throw new Error('SERVICE_SECRET is not set')
}

async function usedEngines({ ENGINES }: Config): Promise<readonly Engine[]> {
  const { engines } = await import('./engines/index.ts')
  return ENGINES ? engines.filter(({ id }) => ENGINES.includes(id)) : engines
}
