import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTasks } from '../../lib/tasks/parse-tasks.ts'

const raw = { operation: 'import/raw', filename: 'a.md', file: '# A' }
const parseInput = (input: unknown) =>
  parseTasks({ a: raw, b: raw, out: { operation: 'export/url', input } }).find(({ name }) => name === 'out')
const selectTasks = (...inputs: unknown[]) => [...inputs, 'b']

test('the input of a task names whole tasks or selects single files of a task', () => {
  const createPage = (file: string) => ({ task: 'a', file })
  const cases: readonly [input: unknown, names: readonly string[], isKept: boolean][] = [
    [selectTasks('a'), ['a', 'b'], false],
    [selectTasks(createPage('1')), ['b', 'a'], true],
    [selectTasks(createPage('1'), createPage('2')), ['b', 'a'], true],
    [selectTasks({ task: 'a' }), ['a', 'b'], true],
  ]
  for (const [input, names, isKept] of cases) {
    const task = parseInput(input)
    assert.deepEqual(task?.input, names)
    assert.deepEqual(task?.sentInput, isKept ? input : undefined)
  }
})

test('the input of a task is rejected if it takes files twice, or has unknown fields or too many selections', () => {
  const pages = (count: number) => Array.from({ length: count }, (_, at) => ({ task: 'a', file: `${at}` }))
  assert.equal(parseInput(selectTasks(...pages(100)))?.input.length, 2)
  for (const input of [
    selectTasks('a', { task: 'a', file: '1' }),
    selectTasks('a', { task: 'a' }),
    selectTasks({ task: 'a', name: '1' }),
    selectTasks({ file: '1' }),
    selectTasks(...pages(101)),
    selectTasks({ task: 'none', file: '*' }),
    [],
  ])
    assert.throws(() => parseInput(input), { code: /^INVALID_(?:INPUT|REQUEST)$/ }, JSON.stringify(input))
})
