import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { createCdnFileResources } from '../../lib/deployment/cdn-files.ts'
import { exampleStages } from '../../lib/deployment/check/example-stages.ts'
import { checkProjectRules } from '../../lib/deployment/check/project-rules.ts'
import { checkSpecification } from '../../lib/deployment/check/specification.ts'
import type { Template } from '../../lib/deployment/check/template.ts'
import { createEdgeResources } from '../../lib/deployment/edge.ts'
import { createFunctions } from '../../lib/deployment/functions.ts'
import { parseStage } from '../../lib/deployment/stage.ts'
import { createStorageResources } from '../../lib/deployment/storage.ts'

const stage = parseStage('prod', exampleStages['prod'])
const createResources = (settings = stage) => ({
  ...createStorageResources(settings),
  ...createEdgeResources(settings),
  ...createCdnFileResources(settings),
})

/** Returns the findings in a template after replacing a text in it. */
function listFindingsAfterReplacing(pattern: string | RegExp, replacement: string): string[] {
  const text = JSON.stringify(createResources())
  const changedText = text.replace(pattern, replacement)
  assert.notEqual(changedText, text, String(pattern))
  const template: Template = { Resources: JSON.parse(changedText) }
  return checkProjectRules(template, stage).map(({ at, problem }) => `${at}: ${problem}`)
}

test('the project rules report a bucket that principals other than CloudFront can read, and unsigned or cached file URLs', () => {
  const Resources = createResources()
  assert.deepEqual(checkProjectRules({ Resources }, stage), [])
  assert.deepEqual(checkSpecification({ Resources }).findings, [])
  const unlimitedAccessFindings = [
    'BucketPolicy: allows access that is not limited to one resource of a service (bucketsNameSources)',
  ]
  assert.deepEqual(listFindingsAfterReplacing('AWS:SourceArn', 'AWS:PrincipalOrgID'), unlimitedAccessFindings)
  assert.deepEqual(
    listFindingsAfterReplacing('{"Service":"cloudfront.amazonaws.com"}', '{"AWS":"123456789012"}'),
    unlimitedAccessFindings,
  )
  const unsignedFilesFindings = [
    'Distribution: must serve /jobs/* with signed URLs, a response headers policy (CSP sandbox) and caching disabled (filesAreSigned)',
  ]
  assert.deepEqual(
    listFindingsAfterReplacing('"TrustedKeyGroups":[{"Ref":"FileKeys"}],', ''),
    unsignedFilesFindings,
  )
  assert.deepEqual(
    listFindingsAfterReplacing('"ResponseHeadersPolicyId":{"Ref":"FileHeadersPolicy"},', ''),
    unsignedFilesFindings,
  )
  assert.deepEqual(
    listFindingsAfterReplacing(
      /("PathPattern":"\/jobs\/\*".*?"CachePolicyId":)"[^"]+"/,
      '$1"658327ea-f89d-4fab-a63d-7e88639e58f6"',
    ),
    unsignedFilesFindings,
  )
  assert.deepEqual(listFindingsAfterReplacing(/,"OriginAccessControlId":\{.*?\}/, ''), [
    'Distribution: reads files without origin access control (filesAreSigned)',
  ])
})

test('a deployment stage without CloudFront public keys serves files from the bucket', () => {
  const { cdnPublicKeys: _, ...others } = stage
  const text = JSON.stringify(createResources(others))
  assert.doesNotMatch(text, /cloudfront\.amazonaws\.com|S3OriginConfig|KeyGroup/)
  assert.doesNotMatch(JSON.stringify(createFunctions(others)), /CDN_KEYS/)
  assert.match(
    JSON.stringify(createFunctions(stage)['jobs']),
    /CDN_KEYS":\{"Fn::Sub":"[0-9a-f]{16}=\$\{CdnKey[0-9a-f]{16}\}"/,
  )
})

test('a private or unsupported key in cdnPublicKeys is refused with the name of the setting', () => {
  const createPublicPem = (modulusLength: number) =>
    generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ type: 'spki', format: 'pem' })
  const privatePem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  })
  assert.equal(parseStage('dev', { cdnPublicKeys: [createPublicPem(2048)] }).cdnPublicKeys?.length, 1)
  for (const key of [createPublicPem(3072), privatePem, 'AAAA'])
    assert.throws(
      () => parseStage('dev', { cdnPublicKeys: [key] }),
      /cdnPublicKeys\.0: expected a public RSA key/,
    )
  const publicKey = createPublicPem(2048)
  assert.throws(
    () => parseStage('dev', { cdnPublicKeys: [publicKey, publicKey] }),
    /cdnPublicKeys: expected different keys/,
  )
})
