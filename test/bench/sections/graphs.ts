import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GraphRun } from '../../jobs/run-graph.ts'
import type { Print } from '../report.ts'
import type { Section } from '../section.ts'

/**
 * Measures the cost of a no-op task: records in the embedded table, eight workers in this process, and queue, bus and
 * bucket in memory. No engine or other program is started.
 */
async function measureGraphs(say: Print): Promise<void> {
  // Imported here, because modules of tests make Node print a test summary at the end.
  const { runGraph } = await import('../../jobs/run-graph.ts')
  const { serveDatabase } = await import('../../jobs/test-table.ts')
  const { chain, fanIn, fanOut, singleTask } = await import('../../jobs/new-tasks.ts')
  const folder = await mkdtemp(join(tmpdir(), 'mutabor-graphs-'))
  const database = await serveDatabase(folder)
  const graphs = {
    'one task': singleTask(),
    'chain of 50': chain(50),
    'fan out to 300': fanOut(300),
    'fan in of 300': fanIn(300),
    'fan out to 998': fanOut(998),
  }
  say('\ngraph of no-op tasks       tasks   ms per task  writes per task')
  try {
    for (const [name, tasks] of Object.entries(graphs)) say(formatRow(name, await runGraph(database, tasks)))
  } finally {
    await database.close()
    await rm(folder, { recursive: true })
  }
}

function formatRow(name: string, { ms, writesPerTask, service }: GraphRun): string {
  const count = service.runs.length
  const cells = [
    String(count).padStart(5),
    (ms / count).toFixed(1).padStart(11),
    writesPerTask.toFixed(2).padStart(14),
  ]
  return `${name.padEnd(26)} ${cells.join('   ')}`
}

export const graphs: Section = {
  name: 'graphs',
  about: 'records and writes of job graphs with no-op tasks',
  run: ({ report }) => measureGraphs(report.print),
}
