import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAlarmResources } from '../../lib/deployment/alarms.ts'
import {
  createAliasResources,
  createCanaryResources,
  type FrameworkFunctions,
  useAliases,
} from '../../lib/deployment/canary.ts'
import { checkProjectRules } from '../../lib/deployment/check/project-rules.ts'
import { checkSpecification } from '../../lib/deployment/check/specification.ts'
import type { Template } from '../../lib/deployment/check/template.ts'
import { createFunctions } from '../../lib/deployment/functions.ts'
import { parseStage } from '../../lib/deployment/stage.ts'

const stage = parseStage('dev', { canary: 'Linear10PercentEvery1Minute' })

test('each deployed function shifts to its new version gradually, and back if an alarm is raised', () => {
  // The functions as the framework compiles them.
  const functions: FrameworkFunctions = Object.fromEntries(
    Object.keys(createFunctions(stage)).map((name) => [name, { versionLogicalId: `Version${name}` }]),
  )
  useAliases(functions)
  const aliases = createAliasResources(functions)
  const resources: Template['Resources'] = { ...createCanaryResources(stage), ...aliases }
  const alarms = Object.keys(createAlarmResources(stage))
  for (const { targetAlias } of Object.values(functions)) {
    const alias = aliases[targetAlias?.logicalId ?? '']
    const group = alias?.UpdatePolicy.CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref ?? ''
    const { DeploymentConfigName, AlarmConfiguration } = resources[group]?.Properties ?? assert.fail(group)
    assert.equal(DeploymentConfigName, 'CodeDeployDefault.LambdaLinear10PercentEvery1Minute')
    const [, own = ''] = /"Ref":"(\w+Fails)"/.exec(JSON.stringify(AlarmConfiguration)) ?? []
    assert.ok(alarms.includes(own), own)
  }
  assert.equal(Object.keys(aliases).length, Object.keys(functions).length)
  assert.deepEqual(checkSpecification({ Resources: resources }).findings, [])
  assert.deepEqual(checkProjectRules({ Resources: createCanaryResources(stage) }, stage), [])
})

test('without gradual releases, a deployment has neither aliases nor deployment groups', () => {
  assert.deepEqual(createCanaryResources(parseStage('dev', {})), {})
})

test('with gradual releases, a trigger that invokes the newest version directly is reported', () => {
  const createMapping = (FunctionName: unknown) => ({
    Resources: { Mapping: { Type: 'AWS::Lambda::EventSourceMapping', Properties: { FunctionName } } },
  })
  const newestVersion = { 'Fn::GetAtt': ['PrepareLambdaFunction', 'Arn'] }
  assert.deepEqual(checkProjectRules(createMapping(newestVersion), stage), [
    { at: 'Mapping', problem: 'invokes the newest version instead of the alias live (releasesAreGradual)' },
  ])
  assert.deepEqual(
    checkProjectRules(createMapping({ 'Fn::Join': [':', [newestVersion, 'live']] }), stage),
    [],
  )
  assert.deepEqual(checkProjectRules(createMapping(newestVersion), parseStage('dev', {})), [])
})
