import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { ProjectCopy } from './project-copy.ts'
import { MutationRunner } from './trials.ts'

describe('trying a mutant', () => {
  const root = mkdtempSync(join(tmpdir(), 'trials-'))
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true })
  symlinkSync(join(process.cwd(), 'node_modules/.bin/tsc'), join(root, 'node_modules/.bin/tsc'))
  const ask = (condition: string) => `
    import { test } from 'node:test'
    import assert from 'node:assert'
    import { value } from './value.ts'
    test('asks', async () => ${condition})`
  const files = {
    'value.ts': 'export const value: number = 1\n',
    'tsconfig.json': JSON.stringify({ compilerOptions: { incremental: true }, files: ['value.ts'] }),
    'asks.test.ts': ask(
      'value === 3 ? new Promise(() => setTimeout(() => {}, 600_000)) : assert.ok(value < 2)',
    ),
    'fails.test.ts': ask('assert.equal(value, 0)'),
    'enters.test.ts': `
      import { test } from 'node:test'
      import assert from 'node:assert'
      import { statSync } from 'node:fs'
      import { tmpdir } from 'node:os'
      import { value } from './value.ts'
      test('enters', () => assert.ok(value < 2 && statSync(tmpdir()).mode & 0o001))`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  const outputLines: string[] = []
  const copy = new ProjectCopy(root)
  const trials = new MutationRunner([copy], Date.now() + 600_000, (line) => outputLines.push(line))
  after(() => {
    trials.remove()
    rmSync(root, { recursive: true })
  })

  const findFault = (value: unknown) => {
    const text = `export const value: number = ${value}\n`
    return { file: 'value.ts', line: 1, fault: 'number', before: '', after: '', text }
  }
  const getVerdict = async (value: number, ...tests: readonly string[]) => {
    const [verdict] = await trials.run(
      [findFault(value)],
      1,
      () => tests,
      () => undefined,
    )
    return verdict?.ended
  }

  test('a mutant is detected by a test that fails or times out, and missed by one that passes', async () => {
    assert.deepEqual(await getVerdict(1.5, 'asks.test.ts'), { as: 'passed' })
    assert.deepEqual(await getVerdict(2, 'asks.test.ts'), { as: 'failed', name: 'asks' })
    assert.deepEqual(await getVerdict(3, 'asks.test.ts'), { as: 'hung', name: 'asks.test.ts' })
    assert.equal(readFileSync(join(copy.root, 'value.ts'), 'utf8'), files['value.ts'])
  })

  test('the tests of a mutant get a temporary folder that other users can enter', async () => {
    assert.deepEqual(await getVerdict(2, 'enters.test.ts'), { as: 'failed', name: 'enters' })
  })

  test('a mutant that does not compile is replaced by another mutant', async () => {
    const verdicts = await trials.run(
      [findFault("'text'"), findFault(2), findFault(1.5)],
      1,
      () => ['asks.test.ts'],
      () => undefined,
    )
    assert.deepEqual(
      verdicts.map(({ ended }) => ended),
      [{ as: 'failed', name: 'asks' }],
    )
  })

  test('a mutant is not detected by a test that also fails without the mutant, and such a test is reported once', async () => {
    assert.deepEqual(await getVerdict(2, 'fails.test.ts'), { as: 'passed' })
    assert.deepEqual(await getVerdict(2, 'fails.test.ts', 'asks.test.ts'), { as: 'failed', name: 'asks' })
    assert.equal(outputLines.filter((line) => line.includes('fails.test.ts')).length, 1)
  })
})
