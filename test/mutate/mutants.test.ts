import assert from 'node:assert/strict'
import { existsSync, globSync } from 'node:fs'
import { describe, test } from 'node:test'
import { areas } from './areas.ts'
import { findTests } from './find-tests.ts'
import { findMutants, type Mutant, sampleMutants } from './mutants.ts'

const files = ['lib/jobs/keys.ts', 'lib/plan/search.ts']
const describeMutant = ({ file, line, after }: Mutant) => `${file}:${line} ${after}`

describe('choosing mutants', () => {
  const weightedMutants = findMutants(process.cwd(), files)
  const sample = sampleMutants(weightedMutants, 'a')

  test('the sample of mutants depends on its seed and has at most one mutant per line', () => {
    assert.deepEqual(sampleMutants(weightedMutants, 'a').map(describeMutant), sample.map(describeMutant))
    assert.notDeepEqual(sampleMutants(weightedMutants, 'b').map(describeMutant), sample.map(describeMutant))
    assert.equal(new Set(sample.map(({ file, line }) => `${file}:${line}`)).size, sample.length)
    assert.ok(sample.length > 20, `${sample.length} faults`)
  })

  test('mutants change code, but not types, imports or comments', () => {
    for (const { before, after, text } of sample) {
      assert.notEqual(before, after)
      assert.doesNotMatch(before, /^(import|export type|\*|\/\/|\/\*\*)/)
      assert.ok(text.includes(after))
    }
  })
})

describe('choosing the tests for a file', () => {
  test('the tests run for a mutated file include those that import the file and those of its area', () => {
    assert.ok(findTests('lib/jobs/job-state-machine.ts').includes('test/jobs/job-state-machine.test.ts'))
    assert.ok(findTests('functions/routes/cancel-job.ts').includes('test/functions/cancel.test.ts'))
    assert.equal(
      findTests('lib/engines/pdf/docx/row-alignment.ts').filter((one) => one.includes('pdf/docx')).length > 0,
      true,
    )
  })

  test('the tests of all mutated files and areas exist', () => {
    for (const { name, files, tests } of areas) {
      for (const pattern of files) assert.ok(globSync(pattern).length > 0, `${name}: ${pattern}`)
      for (const one of tests) assert.ok(existsSync(one), `${name}: ${one}`)
    }
  })
})
