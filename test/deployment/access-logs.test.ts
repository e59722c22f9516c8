import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { checkProjectRules } from '../../lib/deployment/check/project-rules.ts'
import { checkSpecification } from '../../lib/deployment/check/specification.ts'
import { isRecord, type Template } from '../../lib/deployment/check/template.ts'
import { createEdgeResources } from '../../lib/deployment/edge.ts'
import { parseStage } from '../../lib/deployment/stage.ts'
import { createStorageResources } from '../../lib/deployment/storage.ts'

const firewallArn = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/files/a'
const stage = parseStage('dev', { accessLogs: true, firewallArn, logDays: 7 })
const createResources = (settings: typeof stage): Template['Resources'] => ({
  ...createStorageResources(settings),
  ...createEdgeResources(settings),
})
const createDistribution = (settings: typeof stage) =>
  createEdgeResources(settings).Distribution.Properties.DistributionConfig

test('with access logs enabled, CloudFront and the buckets log each request without cookies, and the logs expire after `logDays`', () => {
  const resources = createResources(stage)
  assert.deepEqual(checkProjectRules({ Resources: resources }, stage), [])
  assert.deepEqual(checkSpecification({ Resources: resources }).findings, [])
  assert.partialDeepStrictEqual(createDistribution(stage), {
    Logging: { Bucket: { 'Fn::GetAtt': ['LogsBucket', 'DomainName'] }, IncludeCookies: false },
  })
  for (const id of ['Bucket', 'SecretsBucket'])
    assert.partialDeepStrictEqual(resources[id]?.Properties, {
      LoggingConfiguration: { DestinationBucketName: { Ref: 'LogsBucket' } },
    })
  assert.partialDeepStrictEqual(resources['LogsBucket']?.Properties, {
    LifecycleConfiguration: { Rules: [{ Status: 'Enabled', ExpirationInDays: 7 }] },
  })
  assert.match(JSON.stringify(resources['LogsBucketPolicy']), /"Service":"logging\.s3\.amazonaws\.com"/)
})

test('access logs and the web application firewall are off by default', () => {
  const text = JSON.stringify(createResources(parseStage('dev', {})))
  assert.doesNotMatch(text, /Logging|LogsBucket|WebACLId/)
})

test('CloudFront applies the web ACL of the stage to each request', () => {
  assert.equal(createDistribution(stage).WebACLId, firewallArn)
  const regionalArn = 'arn:aws:wafv2:eu-central-1:123456789012:regional/webacl/files/a'
  assert.throws(() => parseStage('dev', { firewallArn: regionalArn }), /firewallArn/)
})

test('the firewall limits requests per IP address and blocks no file for its content or name', () => {
  const text = readFileSync(new URL('../../lib/deployment/firewall.json', import.meta.url), 'utf8')
  const template: Template = JSON.parse(text)
  assert.deepEqual(checkSpecification(template).findings, [])
  const { Rules, Scope } = template.Resources['Firewall']?.Properties ?? {}
  assert.equal(Scope, 'CLOUDFRONT')
  assert.ok(Array.isArray(Rules) && Rules.every(isRecord))
  const [rate, commonRules] = Rules
  assert.partialDeepStrictEqual(rate, {
    Action: { Block: { CustomResponse: { ResponseCode: 429 } } },
    Statement: { RateBasedStatement: { AggregateKeyType: 'IP' } },
  })
  const countedRuleNames: readonly string[] =
    JSON.stringify(commonRules).match(/(?<="Name":")\w+(?=","ActionToUse":\{"Count")/g) ?? []
  // All rules of the group that inspect request bodies.
  for (const rule of [
    'SizeRestrictions',
    'CrossSiteScripting',
    'GenericLFI',
    'GenericRFI',
    'EC2MetaDataSSRF',
  ])
    assert.ok(countedRuleNames.includes(`${rule}_BODY`), rule)
  // Links to files contain the file name in the query, such as `server.log`, and the file extension in the path.
  for (const rule of [
    'CrossSiteScripting_QUERYARGUMENTS',
    'RestrictedExtensions_QUERYARGUMENTS',
    'RestrictedExtensions_URIPATH',
  ])
    assert.ok(countedRuleNames.includes(rule), rule)
})
