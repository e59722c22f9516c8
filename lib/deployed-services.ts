import type { Patience } from './aws/patience.ts'
import { createServices } from './create-services.ts'
import { deployedConfig } from './deployed-config.ts'
import type { Services } from './services.ts'

/** What a function works with, by its environment alone. */
export const deployedServices = async (surroundings?: { readonly patience: Patience }): Promise<Services> =>
  createServices(await deployedConfig(), surroundings)
