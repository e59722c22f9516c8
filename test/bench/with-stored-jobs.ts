import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService, type TestService } from '../support/service.ts'
import { buildForm, ServiceClient } from './client.ts'
import { reaperCommand } from './process-tree.ts'
import type { BenchContext } from './section.ts'
import { storeJobs } from './stored-jobs.ts'

/** Calls `run` with a service that has a number of finished jobs of this client. */
export async function withStoredJobs(
  count: number,
  { fixtures }: BenchContext,
  run: (client: ServiceClient, service: TestService) => Promise<void>,
): Promise<void> {
  const form = buildForm(await fixtures.get('dot.png'), { targetFormat: 'webp' })
  const dataDir = await mkdtemp(join(tmpdir(), 'mutabor-stored-'))
  try {
    const serviceBefore = await startService({}, dataDir)
    const knownClient = new ServiceClient(serviceBefore.url)
    await knownClient.convert(form)
    knownClient.close()
    await serviceBefore.end()
    storeJobs(dataDir, count - 1)
    const service = await startService({}, dataDir, reaperCommand)
    const client = knownClient.at(service.url)
    await run(client, service).finally(() => service.end())
    client.close()
  } finally {
    await rm(dataDir, { recursive: true })
  }
}
