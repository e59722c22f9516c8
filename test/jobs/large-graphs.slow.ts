import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fanIn, fanOut } from './new-tasks.ts'
import { figures, runGraph } from './run-graph.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

for (const count of [300, 998]) {
  test(`a fan out to ${count} tasks ends, each task once, at five writes a task`, async (t) => {
    const run = await runGraph(database, fanOut(count))
    assert.ok(run.writesPerTask <= 5.5, `${run.writesPerTask} writes a task`)
    t.diagnostic(figures(run))
  })

  test(`a fan in of ${count} tasks ends, each task once, at five writes a task`, async (t) => {
    const run = await runGraph(database, fanIn(count))
    assert.ok(run.writesPerTask <= 5.5, `${run.writesPerTask} writes a task`)
    t.diagnostic(figures(run))
  })
}
