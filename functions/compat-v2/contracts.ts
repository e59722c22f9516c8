import type { AnyContract } from '../../lib/http/contract.ts'
import { infoContracts } from './info-contracts.ts'
import { jobContracts } from './job-contracts.ts'
import { listContracts } from './list-contracts.ts'
import { signedUrlContracts } from './signed-urls.ts'
import { taskContracts } from './task-contracts.ts'
import { webhookContracts } from './webhook-contracts.ts'

/**
 * The job API of another service, so that its SDKs work here with only another base URL. README.md in this folder lists
 * what is supported.
 */
export const compatContracts: readonly AnyContract[] = [
  ...jobContracts,
  ...listContracts,
  ...taskContracts,
  ...infoContracts,
  ...webhookContracts,
  ...signedUrlContracts,
]
