import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resultIn } from '../../lib/jobs/machine.ts'
import { figures, runGraph } from './graph-runs.ts'
import { openDatabase } from './table-of-tests.ts'
import { chain, diamond, fanOutAndIn } from './tasks.ts'

const database = openDatabase()

/** Of a task without work in a large graph, its creation included. */
const mostWrites = 5

test('a fan of three hundred tasks and the one that takes the files of all end, each task once', async (t) => {
  const run = await runGraph(database, fanOutAndIn(300))
  const sink = (await run.world.state()).tasks.at(-1)
  assert.deepEqual([sink?.name, sink?.ins.length, sink?.got?.size], ['sink', 300, 3])
  // Beside its own: the root's arrival at it, its arrival at the latch of the sink, and its bucket.
  assert.ok(run.writesPerTask <= mostWrites + 1.2, `${run.writesPerTask} writes a task`)
  t.diagnostic(figures(run))
})

test('a chain of fifty tasks ends, at five writes a task at most', async (t) => {
  const run = await runGraph(database, chain(50))
  assert.ok(run.writesPerTask <= mostWrites + 0.1, `${run.writesPerTask} writes a task`)
  t.diagnostic(figures(run))
})

test('a diamond whose messages all come twice runs each task once', async () => {
  const { world } = await runGraph(database, diamond(), { copies: () => 2 })
  assert.deepEqual(
    resultIn(await world.state()).files.map(({ key }) =>
      Buffer.from(world.files.objects.get(key) ?? []).toString(),
    ),
    ['e', 'f'],
  )
})
