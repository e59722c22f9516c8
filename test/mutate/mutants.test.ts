import assert from 'node:assert/strict'
import { existsSync, globSync } from 'node:fs'
import { describe, test } from 'node:test'
import { areas } from './areas.ts'
import { testsOf } from './find-tests.ts'
import { drawFrom, lotsIn, type Mutant } from './mutants.ts'

const files = ['lib/jobs/keys.ts', 'lib/plan/search.ts']
const shown = ({ file, line, after }: Mutant) => `${file}:${line} ${after}`

describe('faults that are put into the code', () => {
  const lots = lotsIn(process.cwd(), files)
  const drawn = drawFrom(lots, 'a')

  test('are the same for the same seed, others for another, and one of a line', () => {
    assert.deepEqual(drawFrom(lots, 'a').map(shown), drawn.map(shown))
    assert.notDeepEqual(drawFrom(lots, 'b').map(shown), drawn.map(shown))
    assert.equal(new Set(drawn.map(({ file, line }) => `${file}:${line}`)).size, drawn.length)
    assert.ok(drawn.length > 20, `${drawn.length} faults`)
  })

  test('change a line of code, none of types, imports and comments', () => {
    for (const { before, after, text } of drawn) {
      assert.notEqual(before, after)
      assert.doesNotMatch(before, /^(import|export type|\*|\/\/|\/\*\*)/)
      assert.ok(text.includes(after))
    }
  })
})

describe('the tests that belong to a file', () => {
  test('are those that import it, and those of its area', () => {
    assert.ok(testsOf('lib/jobs/job-state-machine.ts').includes('test/jobs/job-state-machine.test.ts'))
    assert.ok(testsOf('functions/routes/cancel-job.ts').includes('test/functions/cancel.test.ts'))
    assert.equal(
      testsOf('lib/engines/pdf/docx/row-alignment.ts').filter((one) => one.includes('pdf-docx')).length > 0,
      true,
    )
  })

  test('exist, as the files of the areas do', () => {
    for (const { name, files, tests } of areas) {
      for (const pattern of files) assert.ok(globSync(pattern).length > 0, `${name}: ${pattern}`)
      for (const one of tests) assert.ok(existsSync(one), `${name}: ${one}`)
    }
  })
})
