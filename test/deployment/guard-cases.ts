import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkGuardRules } from '../../lib/deployment/check/guard.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

test('a run of cfn-guard that takes too long is one finding among the others', () => {
  const path = join(scratchFolder('mutabor-guard'), 'template.json')
  writeFileSync(path, JSON.stringify({ Resources: {} }))
  const findings = checkGuardRules(path, { timeoutMs: 1 })
  assert.deepEqual(
    findings.map(({ at }) => at),
    ['cfn-guard'],
  )
  assert.match(findings[0]?.problem ?? '', /^did not finish: .*ETIMEDOUT/)
})
