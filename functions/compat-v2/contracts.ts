import type { AnyContract } from '../../lib/http/contract.ts'
import { lookContracts } from './info-contracts.ts'
import { jobContracts } from './job-contracts.ts'
import { listContracts } from './list-contracts.ts'
import { signedUrlContracts } from './signed-urls.ts'
import { taskContracts } from './task-contracts.ts'
import { webhookContracts } from './webhook-contracts.ts'

/**
 * The job interface of another service, so that its SDKs work here with nothing but another address. What is here and
 * what is not stands in README.md beside it.
 */
export const facade: readonly AnyContract[] = [
  ...jobContracts,
  ...listContracts,
  ...taskContracts,
  ...lookContracts,
  ...webhookContracts,
  ...signedUrlContracts,
]
