import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getPlanLimits } from '../../lib/accounts/plan-limits.ts'
import { readConfig } from '../../lib/config.ts'
import { defaultPlans, type Plan, planIds } from '../../lib/plans.ts'

test('an owner counts as having few jobs if their plan allows at most 100 within the retention time', () => {
  const config = readConfig({ RETENTION_HOURS: '24' })
  const hasFewJobs = (changes: Partial<Plan> = {}, plan = 'free' as (typeof planIds)[number]) =>
    getPlanLimits(plan, { plans: { ...defaultPlans, [plan]: { ...defaultPlans[plan], ...changes } }, config })
      .hasFewJobs
  assert.deepEqual(
    planIds.filter((plan) => hasFewJobs({}, plan)),
    ['anonymous', 'free'],
  )
  // Jobs that are retained at the same time may have been created on two days.
  assert.equal(hasFewJobs({ requestsPerDay: 51 }), false)
  assert.equal(hasFewJobs({ requestsPerDay: null }), false)
  assert.equal(hasFewJobs({ retentionHours: 25 }), false)
  assert.equal(hasFewJobs({ requestsPerDay: 20, retentionHours: 96 }), true)
})
