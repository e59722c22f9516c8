import type { Config } from '../config.ts'
import { Sha256 } from '../crypto/sha256.ts'
import { defined } from '../validation/defined.ts'

/** Client settings for the service's own AWS resources. */
export const createClientConfig = ({
  AWS_REGION: region,
  roleKey,
}: Pick<Config, 'AWS_REGION' | 'roleKey'>) => ({
  region,
  sha256: Sha256,
  ...defined({ credentials: roleKey }),
})
