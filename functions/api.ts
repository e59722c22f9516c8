import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import type { Connections } from '../lib/aws/connections.ts'
import { shortPatience } from '../lib/aws/patience.ts'
import { readConfig } from '../lib/config.ts'
import { createServices } from '../lib/create-services.ts'
import { createApp } from '../lib/http/app.ts'
import type { HttpEvent } from '../lib/http/contract.ts'
import type { JobHint } from '../lib/jobs/jobs.ts'
import { routes } from './routes/index.ts'

export type ApiHandler = (event: HttpEvent, context: Context) => Promise<APIGatewayProxyStructuredResultV2>

export function createApi(
  environment?: Readonly<Record<string, string>>,
  hint?: JobHint,
  connections?: Connections,
): ApiHandler {
  const config = readConfig(environment)
  const app = createApp(routes, createServices(config, { hint, connections, patience: shortPatience }))
  // Middy's own type knows more events and results than this handler's.
  return app as unknown as ApiHandler
}

let api: ApiHandler | undefined

/** The HTTP API on Lambda. */
export const handler: ApiHandler = (event, context) => {
  api ??= createApi()
  return api(event, context)
}
