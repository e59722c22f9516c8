import { lazyAsync } from '../lib/async/lazy-async.ts'
import { createSecrets } from '../lib/aws/secrets.ts'
import { createLambdaServices } from '../lib/services/lambda-services.ts'
import { loadConfigAndClearSecrets } from '../lib/services/load-config.ts'
import { sweepDueRecords } from '../lib/services/sweep-due-records.ts'

/** The sweep runs every minute, so it is the first function that runs in a new deployment. It creates the secrets. */
const openSweep = lazyAsync(async () => {
  const { SECRETS, SERVICE_SECRET, ...awsConfig } = loadConfigAndClearSecrets()
  if (SECRETS !== undefined && SERVICE_SECRET === undefined) await createSecrets(SECRETS, awsConfig)
  return createLambdaServices()
})

/** Handles overdue records: lost messages, lost workers, uploads that never arrived, ended retention periods. */
export async function handler(): Promise<{ looked: number }> {
  return { looked: await sweepDueRecords(await openSweep()) }
}
