import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getJobResult } from '../../lib/jobs/job-state-machine.ts'
import { chain, diamond, fanOutAndIn } from './new-tasks.ts'
import { readImageText } from './no-op-engine.ts'
import { describeRun, runGraph } from './run-graph.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

/** Maximum writes per task in a large graph, including the creation of the task. */
const maxWrites = 5
/** Number of writes per task that the tests allow in addition, because some writes depend on timing. */
const timingAllowance = 0.5

test('a fan-out and fan-in over more than one join bucket runs each task once', async (t) => {
  const run = await runGraph(database, fanOutAndIn(120))
  const lastTask = (await run.service.state()).tasks.at(-1)
  assert.deepEqual([lastTask?.name, lastTask?.ins.length, lastTask?.got?.size], ['sink', 120, 2])
  // Each task causes further writes: the update by the root, and the updates of the sink's join bucket and of its count
  // bucket.
  assert.ok(run.writesPerTask <= maxWrites + timingAllowance + 1, `${run.writesPerTask} writes per task`)
  const pages = run.service.calls.filter(({ name }) => name === 'BatchGet').map(({ keys }) => keys.length)
  assert.equal(Math.max(...pages), 100, 'the inputs of the sink are read in pages')
  t.diagnostic(describeRun(run))
})

test('a chain of fifty tasks needs at most 5.5 writes per task', async (t) => {
  const run = await runGraph(database, chain(50))
  assert.ok(run.writesPerTask <= maxWrites + timingAllowance, `${run.writesPerTask} writes per task`)
  t.diagnostic(describeRun(run))
})

test('a diamond-shaped job whose messages are all delivered twice runs each task once', async () => {
  const { service } = await runGraph(database, diamond(), { copies: () => 2 })
  assert.deepEqual(
    getJobResult(await service.state()).files.map(({ key }) => readImageText(service.files.objects.get(key))),
    ['e', 'f'],
  )
})
