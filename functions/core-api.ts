import { httpFunction } from '../lib/http/http-function.ts'
import { missingPage } from '../lib/page/missing-page.ts'
import { coreRoutes } from './routes/core-routes.ts'

/** What no function of its own has, and the document, for which those of all are loaded when somebody asks for it. */
export const contracts = coreRoutes(async () => (await import('./routes/index.ts')).documentedRoutes)

export const handler = httpFunction(contracts, { missingPage })
