import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sortTasks } from '../../functions/web/sections/workflows/sort-tasks.ts'

test('tasks of a workflow are shown in the order in which they run, in whatever order the service returns them', () => {
  const shownText = JSON.stringify({
    page: { operation: 'import/url', url: 'https://www.example.com/a.docx' },
    pdf: { operation: 'convert', input: 'page', options: { pages: '1', quality: 80 }, output_format: 'pdf' },
    archive: { operation: 'archive', input: ['pdf', 'page'] },
    out: { operation: 'export/url', input: 'archive' },
  })
  const returnedTasks = {
    out: { input: 'archive', operation: 'export/url' },
    archive: { input: ['pdf', 'page'], operation: 'archive' },
    pdf: { output_format: 'pdf', options: { quality: 80, pages: '1' }, input: 'page', operation: 'convert' },
    page: { url: 'https://www.example.com/a.docx', operation: 'import/url' },
  }
  const reversedTasks = Object.fromEntries(Object.entries(returnedTasks).reverse())
  for (const tasks of [returnedTasks, reversedTasks])
    assert.equal(JSON.stringify(sortTasks(tasks)), shownText)
})

test('sortTasks leaves tasks in a cycle, and values that are not tasks, unchanged', () => {
  const cycle = { a: { operation: 'convert', input: 'b' }, b: { operation: 'convert', input: 'a' } }
  assert.deepEqual(sortTasks(cycle), cycle)
  assert.deepEqual(sortTasks({ a: 1 }), { a: 1 })
  assert.deepEqual(sortTasks([]), [])
})
