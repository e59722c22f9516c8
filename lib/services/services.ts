import type { Bus } from '../aws/bus.ts'
import type { Files } from '../aws/files.ts'
import type { Queues } from '../aws/queues.ts'
import type { Sockets } from '../aws/sockets.ts'
import type { Table } from '../aws/table.ts'
import type { Config } from '../config.ts'
import type { DurationStats } from '../conversion/duration-stats.ts'
import type { Vault } from '../crypto/sealed.ts'
import type { Engine } from '../engines/engine.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { DownloadLimits } from '../links/download-limit.ts'
import type { ResultLink } from '../links/result-links.ts'
import type { GetDailyKey } from '../links/signed-download.ts'
import type { Log } from '../log.ts'
import type { SubscriberLookup } from '../model/subscribers.ts'
import type { Plans } from '../plans.ts'
import type { GuardedHttp } from '../transfer/guarded-http.ts'
import type { Uploads } from '../uploads/uploads.ts'
import type { RequestCounts } from '../usage/request-counts.ts'

/** The services that handlers use, which are created once per process. */
export interface Services {
  readonly config: Config
  readonly log: Log
  readonly table: Table
  readonly files: Files
  readonly queues: Queues
  readonly bus: Bus
  readonly sockets: Sockets
  readonly jobs: Jobs
  readonly uploads: Uploads
  readonly downloadLimits: DownloadLimits
  readonly resultLink: ResultLink
  readonly durations: DurationStats
  readonly requestCounts: RequestCounts
  /** HTTP client for URLs that users supply. It is loaded on first use, because few processes need it. */
  readonly guardedHttp: () => Promise<GuardedHttp>
  /** Engines that are enabled in this process; they are loaded for the first plan or conversion. */
  readonly engines: () => Promise<readonly Engine[]>
  readonly vault: Vault
  /** Returns the subscribers to an owner's events; the list may be as old as `subscriberCacheMs`. */
  readonly findSubscribers: (owner: string) => Promise<SubscriberLookup>
  readonly plans: Plans
  /** Secret keys by purpose, for example for signing cursors. `download` returns the daily key that signs downloads. */
  readonly keys: Readonly<Record<'owner' | 'cursor' | 'idempotency' | 'accounts' | 'signedUrls', Buffer>> & {
    readonly download: GetDailyKey
  }
  /** Returns the same services with other public URLs of the service and its files. */
  readonly withConfig: (config: Config) => Services
}
