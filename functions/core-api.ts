import { createHttpFunction } from '../lib/http/http-function.ts'
import { missingPage } from '../lib/page/missing-page.ts'
import { createCoreRoutes } from './routes/core-routes.ts'

/** Endpoints that no other function serves, and the OpenAPI document, which loads all contracts on demand. */
export const contracts = createCoreRoutes(async () => (await import('./routes/index.ts')).documentedRoutes)

export const handler = createHttpFunction(contracts, { missingPage })
