import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { createSecrets, readSecrets } from '../../lib/aws/secrets.ts'
import { processEnvironment } from '../../lib/config.ts'
import { openEmbedded } from '../../lib/embedded-aws/embedded.ts'
import { verifySigV4 } from '../../lib/embedded-aws/sigv4.ts'
import { createLog } from '../../lib/log.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const region = 'eu-central-1'
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }
const ORIGIN_SECRET_ARN = `arn:aws:secretsmanager:${region}:123456789012:secret:front-a1b2c3`

/** A fake Secrets Manager that verifies the signature of requests. */
const secretsManager: typeof fetch = async (url, init) => {
  const { host, pathname } = new URL(String(url))
  const headers = Object.fromEntries(new Headers(init?.headers))
  const body = Buffer.from(String(init?.body))
  const bodySha256 = createHash('sha256').update(body).digest('hex')
  const request = { method: 'POST', url: pathname, headers: { ...headers, host }, bodySha256 }
  const verdict = verifySigV4(request, [credentials], { service: 'secretsmanager', region })
  if (!verdict.ok) return new Response(verdict.message, { status: 400 })
  assert.equal(headers['x-amz-target'], 'secretsmanager.GetSecretValue')
  assert.deepEqual(JSON.parse(String(body)), { SecretId: ORIGIN_SECRET_ARN })
  return Response.json({ ARN: ORIGIN_SECRET_ARN, SecretString: 'of the CDN' })
}

test('a new deployment creates its secrets once, and functions behind the CDN require the origin secret', async (t) => {
  const invoke = () => Promise.resolve()
  const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })
  const dir = scratchFolder('secrets')
  const embedded = await openEmbedded({ dir, region, credentials, invoke, log })
  t.after(() => embedded.close())
  processEnvironment['AWS_ACCESS_KEY_ID'] = credentials.accessKeyId
  processEnvironment['AWS_SECRET_ACCESS_KEY'] = credentials.secretAccessKey
  const settings = { AWS_REGION: region, AWS_ENDPOINT_URL_S3: embedded.urls.S3 }
  processEnvironment['AWS_ENDPOINT_URL_S3'] = embedded.urls.S3
  await new S3Client({ region, forcePathStyle: true }).send(new CreateBucketCommand({ Bucket: 'secrets' }))

  const serviceSecretAddress = 's3://secrets/SERVICE_SECRET'
  const allSecretsAddress = `${serviceSecretAddress},ORIGIN_SECRET,SMTP_URL`
  await createSecrets(serviceSecretAddress, { ...settings, ORIGIN_SECRET_ARN: undefined })
  const { SERVICE_SECRET = '' } = await readSecrets(serviceSecretAddress, settings)
  assert.ok(SERVICE_SECRET.length >= 48)
  await assert.rejects(readSecrets(allSecretsAddress, settings), /ORIGIN_SECRET does not exist yet/)

  await createSecrets(serviceSecretAddress, { ...settings, ORIGIN_SECRET_ARN }, secretsManager)
  await createSecrets(serviceSecretAddress, { ...settings, ORIGIN_SECRET_ARN }, async () =>
    Response.json({ SecretString: 'another' }),
  )
  assert.deepEqual(await readSecrets(allSecretsAddress, settings), {
    SERVICE_SECRET,
    ORIGIN_SECRET: 'of the CDN',
  })

  processEnvironment['AWS_SECRET_ACCESS_KEY'] = 'wrong'
  const rejectedStart = createSecrets(
    serviceSecretAddress,
    { ...settings, ORIGIN_SECRET_ARN },
    secretsManager,
  )
  await assert.rejects(rejectedStart)
})
