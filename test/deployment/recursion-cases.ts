import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageIds } from '../../lib/component-ids.ts'
import { listResourcesOfType } from '../support/packaged-deployment.ts'

test('functions whose messages invoke them again are exempt from loop detection, and an alarm reports stopped recursion', () => {
  const recursiveFunctions = listResourcesOfType('AWS::Lambda::Function')
    .filter(([, { Properties }]) => Properties['RecursiveLoop'] === 'Allow')
    .map(([, { Properties }]) => Properties.FunctionName)
  const names = ['capture', 'deliver', 'prepare', 'transfer', ...imageIds.map((image) => `convert-${image}`)]
  assert.deepEqual(recursiveFunctions.sort(), names.map((name) => `mutabor-dev-${name}`).sort())
  for (const [, { Properties }] of listResourcesOfType('AWS::CloudWatch::Alarm'))
    if (Properties['MetricName'] === 'RecursiveInvocationsDropped') return
  assert.fail('no alarm reports recursion that was stopped')
})
