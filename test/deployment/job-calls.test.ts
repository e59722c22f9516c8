import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import jobCalls from '../../lib/deployment/job-calls.json' with { type: 'json' }
import { openDynamoDb } from '../../lib/embedded-aws/dynamodb/server.ts'
import { makeFolder, silentLog } from '../embedded-aws/dynamodb/start-dynamodb.ts'
import { after, before } from '../hooks.ts'
import { runCommonJob } from '../support/common-job.ts'
import { startService, type TestService } from '../support/service.ts'
import { isHeartbeat, isProgress, openTableMeter, sumByKind, type TableCall } from '../support/table-meter.ts'

let service: TestService
let meter: Awaited<ReturnType<typeof openTableMeter>>
let database: Awaited<ReturnType<typeof openDynamoDb>>
before(async () => {
  database = await openDynamoDb({ file: join(makeFolder(), 'dynamodb.sqlite'), port: 0, log: silentLog })
  meter = await openTableMeter(database.url)
  service = await startService({
    AWS_ENDPOINT_URL_DYNAMODB: meter.url,
    REQUEST_BODIES: 'whole',
    TASK_FILES: 'signed',
    ANONYMOUS_PLAN: 'anonymous',
  })
})
after(async () => {
  await service.stop()
  await meter.close()
  await database.close()
})

/** Converts an image, asks once for the status of the completed job, and downloads the result. */
const convertImage = () =>
  runCommonJob(service, {
    isCounted: () => meter.calls.some(({ isWrite, sent }) => isWrite && sent.includes('"SLO#')),
  })

/**
 * Removes the calls that only slow jobs cause, for example jobs on a busy machine. After 300 ms, a separate write
 * publishes the start of the job, with reads of the tasks and the subscribers. After 3 s, there are heartbeats.
 */
function removeSlowJobCalls(allCalls: readonly TableCall[]): readonly TableCall[] {
  const calls = allCalls.filter((call) => !isHeartbeat(call))
  if (!calls.some(isProgress)) return calls
  const isQueryOf = (kind: string) => (call: TableCall) =>
    call.operation === 'Query' && call.unitsByKind[kind] !== undefined
  const reads = [calls.find(isQueryOf('JOB')), calls.findLast(isQueryOf('OWNER'))]
  return calls.filter((call) => !isProgress(call) && !reads.includes(call))
}

/** Counts the calls of one job, without those of the sweep, which runs each minute whether there are jobs or not. */
async function countCalls() {
  meter.calls.length = 0
  await convertImage()
  const calls = removeSlowJobCalls(meter.calls.filter(({ sent }) => !sent.includes('byWake')))
  const sum = (isWrite: boolean) => {
    const selectedCalls = calls.filter((call) => call.isWrite === isWrite)
    const unitsByKind = sumByKind(selectedCalls.map(({ unitsByKind }) => unitsByKind))
    return {
      calls: selectedCalls.length,
      units: Object.values(unitsByKind).reduce((total, unitCount) => total + unitCount),
      byKind: unitsByKind,
    }
  }
  return { writes: sum(true), reads: sum(false) }
}

test('the number of DynamoDB calls for converting and downloading an image is what the cost calculation assumes', async (t) => {
  await countCalls() // The first job includes what each process reads only once.
  const counts = [await countCalls()]
  // A slow job also publishes its progress, which adds calls, so another job is counted.
  while (!isDeepStrictEqual(counts.at(-1), jobCalls) && counts.length < 8) counts.push(await countCalls())
  t.diagnostic(JSON.stringify(counts))
  assert.deepEqual(
    counts.at(-1),
    jobCalls,
    'update lib/deployment/job-calls.json and run lib/deployment/cost.ts',
  )
})
