import type { AnyContract } from '../../lib/http/contract.ts'
import { errorPages } from './error-pages.ts'
import { eventPage } from './event-page.ts'
import { getAsyncApi } from './get-asyncapi.ts'
import { getFormat } from './get-format.ts'
import { getHealth } from './get-health.ts'
import { getOpenApi, type LoadContracts } from './get-openapi.ts'
import { getVersion } from './get-version.ts'
import { listConversions } from './list-conversions.ts'
import { listFormats } from './list-formats.ts'
import { listPlans } from './list-plans.ts'
import { createTicket } from './live.ts'
import { getOAuthMetadata } from './oauth.ts'
import { staticFiles } from './static-files.ts'
import { getReliability } from './usage.ts'

/** Endpoints that belong to no other function. */
export const createCoreRoutes = (loadDocumentedContracts: LoadContracts): readonly AnyContract[] => [
  createTicket,
  listPlans,
  getReliability,
  getOAuthMetadata,
  listFormats,
  listConversions,
  getFormat,
  getAsyncApi,
  getVersion,
  getHealth,
  getOpenApi(loadDocumentedContracts),
  ...errorPages,
  eventPage,
  ...staticFiles,
]
