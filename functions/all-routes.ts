import type { ServiceConnections } from '../lib/aws/connections.ts'
import { requestTimeouts } from '../lib/aws/timeouts.ts'
import { type Config, readConfig } from '../lib/config.ts'
import { createApp } from '../lib/http/app.ts'
import type { ApiHandler } from '../lib/http/http-function.ts'
import type { WaitForJobChange } from '../lib/jobs/jobs.ts'
import { missingPage } from '../lib/page/missing-page.ts'
import { createServices } from '../lib/services/create-services.ts'
import { compatContracts } from './compat-v2/contracts.ts'
import { getMetrics } from './metrics.ts'
import { routes } from './routes/index.ts'

/** The routes that the configuration enables. */
const selectRoutes = ({ FACADES }: Config) => [
  ...routes,
  getMetrics,
  ...(FACADES === 'v2' ? compatContracts : []),
]

/** Creates the whole HTTP API in one process. */
export function createApi(
  environment?: Readonly<Record<string, string>>,
  waitForChange?: WaitForJobChange,
  connections?: ServiceConnections,
): ApiHandler {
  const config = readConfig(environment)
  const app = createApp(
    selectRoutes(config),
    createServices(config, { waitForChange, connections, timeouts: requestTimeouts }),
    { missingPage },
  )
  // The cast is needed, because Middy's handler type accepts more kinds of events and results.
  return app as unknown as ApiHandler
}
