import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { S3Client } from '@aws-sdk/client-s3'
import { SignatureV4 } from '@smithy/signature-v4'
import type { Config } from '../config.ts'
import { derivedKeyNames, deriveKeys } from '../crypto/derived-keys.ts'
import { Sha256 } from '../crypto/sha256.ts'
import { type SecretName, secretNames } from '../resources/function-declaration.ts'
import { createClientConfig } from './client-config.ts'

type ClientSettings = Pick<Config, 'AWS_REGION' | 'roleKey' | 'AWS_ENDPOINT_URL_S3'>
type Secrets = Partial<Record<SecretName, string>>

/** Parses `s3://bucket/NAME,NAME`: the bucket of the secrets and their names. */
function parseSecretsAddress(address: string): { bucket: string; names: readonly SecretName[] } {
  const [, bucket = '', list = ''] = /^s3:\/\/([^/]+)\/(.+)$/.exec(address) ?? []
  const names = secretNames.filter((name) => list.split(',').includes(name))
  return { bucket, names }
}

/** Reads the secrets; a missing secret counts as an unset setting. */
export async function readSecrets(address: string, settings: ClientSettings): Promise<Secrets> {
  const { bucket, names } = parseSecretsAddress(address)
  const readSecret = createSecretReader(bucket, settings)
  const entries: [SecretName, string | undefined][] = await Promise.all(
    names.map(async (name) => [name, await readSecret(name)]),
  )
  const foundSecrets: Secrets = Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  // Without this secret, the service would accept requests that bypass the CDN.
  if (names.includes('ORIGIN_SECRET') && !foundSecrets.ORIGIN_SECRET)
    throw new Error('ORIGIN_SECRET does not exist yet: the first sweep of a deployment creates it')
  return foundSecrets
}

/** Type of the requests that the handler sends. The signer returns a copy of a request, which has the same class. */
type SignedRequest = Parameters<DynamoDBClient['config']['requestHandler']['handle']>[0]

/**
 * Returns a function that reads a secret from S3. It signs the request itself and sends it with the HTTP handler of the
 * DynamoDB client, which all functions contain. The S3 client, which most functions don't need otherwise, would double
 * the code that each function loads at startup.
 */
function createSecretReader(
  bucket: string,
  settings: ClientSettings,
): (name: SecretName) => Promise<string | undefined> {
  const { AWS_REGION: region, AWS_ENDPOINT_URL_S3: endpoint } = settings
  const { config } = new DynamoDBClient(createClientConfig(settings))
  const signer = new SignatureV4({
    service: 's3',
    region,
    sha256: Sha256,
    credentials: config.credentials,
    uriEscapePath: false,
  })
  const { protocol, hostname, port, host } = new URL(
    endpoint ?? `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`,
  )
  const readSecret = async (name: SecretName): Promise<string | undefined> => {
    const path = `/${bucket}/${name}`
    const request = { method: 'GET', protocol, hostname, path, query: {}, headers: { host } }
    const signedRequest = await signer.sign({ ...request, ...(port && { port: Number(port) }) })
    const { response } = await config.requestHandler.handle(signedRequest as SignedRequest) // the signer's type is narrower
    const body: string = await text(response.body)
    if (body.includes('<Code>NoSuchKey</Code>')) return undefined
    if (response.statusCode !== 200)
      throw new Error(`S3 responded with status ${response.statusCode} for ${name}: ${body}`)
    return body.trim()
  }
  return async (name) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await readSecret(name)
      } catch (error) {
        if (attempt === maxAttempts) throw error
        await sleep(attempt * retryMs)
      }
    }
  }
}

/** Number of attempts, the same as in SDK clients: a function cannot start without its secrets. */
const maxAttempts = 3
const retryMs = 100

/**
 * Creates the secrets of a new deployment. If several processes do so concurrently, the first wins; nothing is
 * overwritten.
 */
export async function createSecrets(
  address: string,
  { ORIGIN_SECRET_ARN: originArn, ...settings }: ClientSettings & Pick<Config, 'ORIGIN_SECRET_ARN'>,
  send?: typeof fetch,
): Promise<void> {
  const { bucket } = parseSecretsAddress(address)
  const { S3Client } = await import('./s3.ts')
  const forcePathStyle = settings.AWS_ENDPOINT_URL_S3 !== undefined
  const client = new S3Client({ ...createClientConfig(settings), forcePathStyle })
  await createSecret(client, bucket, 'SERVICE_SECRET', randomBytes(48).toString('base64url'))
  // Reads the stored secret, which another process or an earlier version of the service may have created.
  const serviceSecret = await createSecretReader(bucket, settings)('SERVICE_SECRET')
  if (serviceSecret === undefined) throw new Error('SERVICE_SECRET was deleted while it was created')
  const derivedKeys = deriveKeys(serviceSecret)
  for (const name of derivedKeyNames) await createSecret(client, bucket, name, derivedKeys[name])
  if (originArn === undefined) return
  const { readSecretValue } = await import('./origin-secret.ts')
  await createSecret(client, bucket, 'ORIGIN_SECRET', await readSecretValue(originArn, client, send))
}

async function createSecret(client: S3Client, Bucket: string, Key: SecretName, Body: string): Promise<void> {
  const { PutObjectCommand } = await import('./s3.ts')
  await client.send(new PutObjectCommand({ Bucket, Key, Body, IfNoneMatch: '*' })).catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'PreconditionFailed') throw error
  })
}
