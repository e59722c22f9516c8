import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resultOfJob } from '../../lib/jobs/job-state-machine.ts'
import { chain, diamond, fanOutAndIn } from './new-tasks.ts'
import { figures, runGraph } from './run-graph.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

/** Of a task without work in a large graph, its creation included; half a one for what the clock makes write. */
const mostWrites = 5

test('a fan of more tasks than one set holds and the one that takes the files of all end, each task once', async (t) => {
  const run = await runGraph(database, fanOutAndIn(120))
  const sink = (await run.world.state()).tasks.at(-1)
  assert.deepEqual([sink?.name, sink?.ins.length, sink?.got?.size], ['sink', 120, 2])
  // Beside its own: the root's arrival at it, its arrival at the latch of the sink, and its bucket.
  assert.ok(run.writesPerTask <= mostWrites + 1.5, `${run.writesPerTask} writes a task`)
  const pages = run.world.calls.filter(({ name }) => name === 'BatchGet').map(({ keys }) => keys.length)
  assert.equal(Math.max(...pages), 100, 'what the sink takes is read in pages')
  t.diagnostic(figures(run))
})

test('a chain of fifty tasks ends, at five writes a task at most', async (t) => {
  const run = await runGraph(database, chain(50))
  assert.ok(run.writesPerTask <= mostWrites + 0.5, `${run.writesPerTask} writes a task`)
  t.diagnostic(figures(run))
})

test('a diamond whose messages all come twice runs each task once', async () => {
  const { world } = await runGraph(database, diamond(), { copies: () => 2 })
  assert.deepEqual(
    resultOfJob(await world.state()).files.map(({ key }) =>
      Buffer.from(world.files.objects.get(key) ?? []).toString(),
    ),
    ['e', 'f'],
  )
})
