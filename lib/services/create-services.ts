import { setTimeout as sleep } from 'node:timers/promises'
import { lazyAsync } from '../async/lazy-async.ts'
import { TtlCache } from '../async/ttl-cache.ts'
import { Bus } from '../aws/bus.ts'
import type { ServiceConnections } from '../aws/connections.ts'
import { Files } from '../aws/files.ts'
import { Queues } from '../aws/queues.ts'
import { Sockets } from '../aws/sockets.ts'
import { createDocumentClient, Table } from '../aws/table.ts'
import type { StoreTimeouts } from '../aws/timeouts.ts'
import type { Config } from '../config.ts'
import { DurationStats } from '../conversion/duration-stats.ts'
import { openDailyKeys, openVault } from '../crypto/derived-keys.ts'
import { deriveKey, type Vault } from '../crypto/sealed.ts'
import type { Engine } from '../engines/engine.ts'
import { Jobs, type WaitForJobChange } from '../jobs/jobs.ts'
import { JobStore } from '../jobs/store.ts'
import { createDirectSender, preparingSender, type TaskSender } from '../jobs/task-sender.ts'
import { DownloadLimits } from '../links/download-limit.ts'
import { createResultLink } from '../links/result-links.ts'
import { loadSubscribers } from '../live/subscribers.ts'
import { createLog } from '../log.ts'
import { subscriberCacheMs } from '../model/subscriber-cache.ts'
import type { SubscriberLookup } from '../model/subscribers.ts'
import type { GuardedHttp } from '../transfer/guarded-http.ts'
import { Uploads } from '../uploads/uploads.ts'
import { RequestCounts } from '../usage/request-counts.ts'
import { readPlans } from './read-plans.ts'
import type { Services } from './services.ts'

const sleepBeforePoll: WaitForJobChange = (_jobId, { pauseMs }) => sleep(pauseMs, undefined)

interface ServiceDeps {
  /** Waits for a change of a job; set if something can notify this process of changes. By default, polls. */
  readonly waitForChange?: WaitForJobChange | undefined
  /** Direct connections for clients whose servers run on this machine. */
  readonly connections?: ServiceConnections | undefined
  /** Timeouts for the calls of all stores; if omitted, each store has its own default. */
  readonly timeouts?: StoreTimeouts
  /** Whether tasks carry presigned URLs and unsealed secrets, because workers have no access of their own. */
  readonly presignsTaskFiles?: boolean
}

export function createServices(
  config: Config,
  {
    waitForChange = sleepBeforePoll,
    connections = {},
    timeouts,
    presignsTaskFiles = false,
  }: ServiceDeps = {},
): Services {
  const log = createLog(config)
  const table = new Table(config, createDocumentClient(config, timeouts))
  const files = new Files(config, connections, timeouts)
  const queues = new Queues(config, connections.sqs, timeouts)
  const bus = new Bus(config, connections.eventBridge, timeouts)
  const engines = createLazy(() => loadEnabledEngines(config))
  const store = new JobStore(table)
  const secret = createLazy(() => getServiceSecret(config))
  const download = createLazy(() => openDailyKeys(config))
  const vault = createLazy(() => openVault(config))
  const keys = createLazy(() => ({ ...deriveKeys(secret()), download: download() }))
  const uploads = new Uploads(table)
  const subscriberCache = new TtlCache<SubscriberLookup>(subscriberCacheMs)
  const findSubscribers = (owner: string) => subscriberCache.get(owner, () => loadSubscribers(table, owner))
  let guardedHttp: Promise<GuardedHttp> | undefined
  const jobs: Jobs = new Jobs({
    store,
    files,
    uploads,
    queues,
    bus,
    log,
    waitForChange,
    taskSender: createTaskSender({ config, store, files, engines, vault, presignsTaskFiles }),
    getSubscribers: findSubscribers,
    checkForUpload: async (task) => {
      const { receiveUpload } = await import('../conversion/receive-upload.ts')
      return receiveUpload(task.uploadId ?? '', { uploads, files, jobs })
    },
  })
  const services: Services = {
    config,
    log,
    table,
    files,
    queues,
    bus,
    jobs,
    uploads,
    engines,
    findSubscribers,
    sockets: new Sockets(config, connections.sockets),
    guardedHttp: () => (guardedHttp ??= openGuardedHttp(config)),
    durations: new DurationStats(table),
    requestCounts: new RequestCounts(table),
    downloadLimits: new DownloadLimits(table),
    resultLink: createResultLink(config.PUBLIC_URL ?? '', (day) => download()(day)),
    get vault() {
      return vault()
    },
    plans: readPlans(config),
    get keys() {
      return keys()
    },
    withConfig: (otherConfig) => ({
      ...services,
      config: otherConfig,
      files: new Files(otherConfig, connections, timeouts),
      resultLink: createResultLink(otherConfig.PUBLIC_URL ?? '', download()),
    }),
  }
  return services
}

const deriveKeys = (secret: string) => ({
  owner: deriveKey(secret, 'owner'),
  cursor: deriveKey(secret, 'cursor'),
  idempotency: deriveKey(secret, 'idempotency'),
  accounts: deriveKey(secret, 'accounts'),
  signedUrls: deriveKey(secret, 'signed urls'),
})

/**
 * Creates a value on first use. Processes of engines never use values that are derived from the service secret, because
 * they do not have the secret.
 */
function createLazy<T>(createValue: () => T): () => T {
  let createdValue: { readonly value: T } | undefined
  return () => {
    createdValue ??= { value: createValue() }
    return createdValue.value
  }
}

function createTaskSender({
  config,
  presignsTaskFiles,
  store,
  engines,
  files,
  vault,
}: {
  readonly config: Config
  readonly presignsTaskFiles: boolean
  readonly store: JobStore
  readonly engines: Services['engines']
  readonly files: Files
  readonly vault: () => Vault
}): TaskSender {
  const directSender = createDirectSender({ store, engines })
  if (config.TASK_FILES === 'direct') return directSender
  if (!presignsTaskFiles) return preparingSender
  const openPresigningSender = lazyAsync(async () => {
    const [{ createPresigningSender }, { TaskUrlSigner }] = await Promise.all([
      import('../jobs/presign-work.ts'),
      import('../aws/task-url-signer.ts'),
    ])
    return createPresigningSender(directSender, {
      store,
      files,
      vault: vault(),
      signer: new TaskUrlSigner(config),
    })
  })
  return {
    ...preparingSender,
    route: async (task, taskInputs) => (await openPresigningSender()).route(task, taskInputs),
  }
}

const openGuardedHttp = async ({ OUTGOING_ALLOW: allowedNetworks = [] }: Config) =>
  new (await import('../transfer/guarded-http.ts')).GuardedHttp({ allowedNetworks })

function getServiceSecret({ SERVICE_SECRET }: Config): string {
  if (SERVICE_SECRET) return SERVICE_SECRET
  throw new Error('SERVICE_SECRET is not set')
}

async function loadEnabledEngines({ ENGINES }: Config): Promise<readonly Engine[]> {
  const { engines } = await import('../engines/index.ts')
  return ENGINES ? engines.filter(({ id }) => ENGINES.includes(id)) : engines
}
