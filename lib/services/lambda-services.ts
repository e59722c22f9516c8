import type { StoreTimeouts } from '../aws/timeouts.ts'
import { createServices } from './create-services.ts'
import { loadLambdaConfig } from './lambda-config.ts'
import type { Services } from './services.ts'

/** Creates the services of a function from its environment. */
export const createLambdaServices = async (deps?: { readonly timeouts: StoreTimeouts }): Promise<Services> =>
  createServices(await loadLambdaConfig(), deps)
