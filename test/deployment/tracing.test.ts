import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkProjectRules } from '../../lib/deployment/check/project-rules.ts'
import { checkSpecification } from '../../lib/deployment/check/specification.ts'
import { createFunctions } from '../../lib/deployment/functions.ts'
import { createRoleResources } from '../../lib/deployment/roles.ts'
import { parseStage } from '../../lib/deployment/stage.ts'

const tracedStage = parseStage('dev', { tracing: true })
const untracedStage = parseStage('dev', {})
const actions = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords']

test('with tracing enabled, Lambda traces every function, and the role of each function may send traces', () => {
  const functions = Object.entries(createFunctions(tracedStage))
  assert.ok(functions.some(([name]) => name === 'convert-pdf'))
  for (const [name, settings] of functions)
    assert.equal('tracing' in settings && settings.tracing, 'Active', name)
  for (const [name, { environment }] of functions)
    assert.equal('LOG_SPANS' in environment && environment.LOG_SPANS, '1', name)
  const roles = createRoleResources(tracedStage)
  assert.equal(Object.keys(roles).length, functions.length)
  for (const [id, { Properties }] of Object.entries(roles)) {
    const statements = Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    assert.ok(
      statements.some(({ Action, Resource }) => String(Action) === String(actions) && Resource === '*'),
      id,
    )
  }
  assert.deepEqual(checkProjectRules({ Resources: roles }, tracedStage), [])
  assert.deepEqual(checkSpecification({ Resources: roles }).findings, [])
})

test('tracing is off by default', () => {
  const text = JSON.stringify([createFunctions(untracedStage), createRoleResources(untracedStage)])
  assert.doesNotMatch(text, /tracing|xray|LOG_SPANS/)
})

test('a role that may send traces has no other permission for all resources', () => {
  const createTemplateAllowing = (Action: readonly string[]) => ({
    Resources: {
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: { Policies: [{ Statement: [{ Effect: 'Allow', Action, Resource: '*' }] }] },
      },
    },
  })
  const listFindings = (actions: readonly string[]) =>
    checkProjectRules(createTemplateAllowing(actions), tracedStage).map(({ problem }) => problem)
  assert.deepEqual(listFindings(actions), [])
  assert.deepEqual(listFindings([...actions, 's3:GetObject']), ['allows * (noWildcards)'])
})
