import type { Patience } from './aws/timeouts.ts'
import { createServices } from './create-services.ts'
import { deployedConfig } from './lambda-config.ts'
import type { Services } from './services.ts'

/** What a function works with, by its environment alone. */
export const deployedServices = async (surroundings?: { readonly patience: Patience }): Promise<Services> =>
  createServices(await deployedConfig(), surroundings)
