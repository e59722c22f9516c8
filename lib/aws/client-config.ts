import type { Config } from '../config.ts'
import { Sha256 } from './sha256.ts'

/** What clients of the service's own resources are made with. */
export const createClientConfig = ({
  AWS_REGION: region,
  roleKey,
}: Pick<Config, 'AWS_REGION' | 'roleKey'>) => ({
  region,
  sha256: Sha256,
  ...(roleKey && { credentials: roleKey }),
})
