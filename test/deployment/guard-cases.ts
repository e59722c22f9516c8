import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkGuardRules } from '../../lib/deployment/check/guard.ts'
import { selectGuardExceptions } from '../../lib/deployment/check/guard-exceptions.ts'
import { parseStage } from '../../lib/deployment/stage.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

test('a cfn-guard run that exceeds its time limit is reported as a finding', () => {
  const path = join(scratchFolder('mutabor-guard'), 'template.json')
  writeFileSync(path, JSON.stringify({ Resources: {} }))
  const findings = checkGuardRules(path, { timeoutMs: 1 })
  assert.deepEqual(
    findings.map(({ at }) => at),
    ['cfn-guard'],
  )
  assert.match(findings[0]?.problem ?? '', /^did not finish: .*ETIMEDOUT/)
})

test('a stage with a custom domain needs no exceptions from the cfn-guard rules about certificates', () => {
  const listRules = (settings: object) => Object.keys(selectGuardExceptions(parseStage('dev', settings)))
  const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/a'
  const rulesWithDomain = listRules({ domain: { name: 'files.example.com', certificateArn } })
  assert.deepEqual(
    listRules({}).filter((rule) => !rulesWithDomain.includes(rule)),
    [
      'cloudfront_custom_ssl_certificate_check',
      'cloudfront_sni_enabled_check',
      'cloudfront_security_policy_check',
    ],
  )
})
