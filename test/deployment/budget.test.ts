import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAlarmResources } from '../../lib/deployment/alarms.ts'
import { parseStage } from '../../lib/deployment/stage.ts'

test('the alarm for daily costs counts only resources of its own stage', () => {
  const resources: Readonly<Record<string, { readonly Type: string; readonly Properties: object }>> =
    createAlarmResources(parseStage('dev', { alarmMail: 'on-call@example.com' }))
  const budget = Object.values(resources).find(({ Type }) => Type === 'AWS::Budgets::Budget')
  // The Serverless Framework tags everything that it deploys.
  const filters = { TagKeyValue: ['user:STAGE$dev'] }
  assert.partialDeepStrictEqual(budget?.Properties, { Budget: { CostFilters: filters } })
})
