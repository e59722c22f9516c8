import type { AnyContract } from '../../lib/http/contract.ts'
import { contracts as access } from '../account-api.ts'
import { contracts as admin } from '../admin.ts'
import { contracts as conversion } from '../conversion.ts'
import { contracts as drives } from '../drives.ts'
import { contracts as jobEvents } from '../job-events.ts'
import { contracts as jobs } from '../jobs.ts'
import { contracts as uploads } from '../uploads.ts'
import { contracts as automation } from '../webhooks-workflows.ts'
import { errorPages } from './error-pages.ts'
import { eventPage } from './event-page.ts'
import { getAsyncApi } from './get-asyncapi.ts'
import { getFormat } from './get-format.ts'
import { getHealth } from './get-health.ts'
import { getOpenApi } from './get-openapi.ts'
import { getVersion } from './get-version.ts'
import { listConversions } from './list-conversions.ts'
import { listFormats } from './list-formats.ts'
import { listPlans } from './list-plans.ts'
import { createTicket } from './live.ts'
import { getOAuthMetadata } from './oauth.ts'
import { staticFiles } from './static-files.ts'
import { getReliability } from './usage.ts'

/**
 * The endpoints in the OpenAPI document, except the document itself. To add an endpoint, create its file and list it in
 * the function that serves its path (`lib/resources/functions.ts`), or, if no function serves the path yet, here and in
 * `core-routes.ts`.
 */
export const documentedRoutes: readonly AnyContract[] = [
  ...conversion,
  ...jobs,
  ...jobEvents,
  createTicket,
  ...uploads,
  ...drives,
  ...automation,
  listPlans,
  ...access,
  getReliability,
  getOAuthMetadata,
  ...admin,
  listFormats,
  listConversions,
  getFormat,
  getAsyncApi,
  getVersion,
  getHealth,
]

export const api: readonly AnyContract[] = [...documentedRoutes, getOpenApi(async () => documentedRoutes)]

export const routes: readonly AnyContract[] = [...api, ...errorPages, eventPage, ...staticFiles]
