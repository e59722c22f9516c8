import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fanIn, fanOut } from './new-tasks.ts'
import { describeRun, runGraph } from './run-graph.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

for (const count of [300, 998]) {
  test(`a fan-out to ${count} tasks runs each task once, with at most 5.5 writes per task`, async (t) => {
    const run = await runGraph(database, fanOut(count))
    assert.ok(run.writesPerTask <= 5.5, `${run.writesPerTask} writes per task`)
    t.diagnostic(describeRun(run))
  })

  test(`a fan-in of ${count} tasks runs each task once, with at most 5.5 writes per task`, async (t) => {
    const run = await runGraph(database, fanIn(count))
    assert.ok(run.writesPerTask <= 5.5, `${run.writesPerTask} writes per task`)
    t.diagnostic(describeRun(run))
  })
}
