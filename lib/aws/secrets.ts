import { randomBytes } from 'node:crypto'
import {
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { Config } from '../config.ts'
import { type SecretName, secretNames } from '../resources/declaration.ts'

type Where = Pick<Config, 'AWS_REGION' | 'AWS_ENDPOINT_URL_S3'>
type Secrets = Partial<Record<SecretName, string>>

/** `s3://bucket/NAME,NAME`: where secrets lie, and which of them. */
export function parseSecretsAddress(address: string): { bucket: string; names: readonly SecretName[] } {
  const [, bucket = '', list = ''] = /^s3:\/\/([^/]+)\/(.+)$/.exec(address) ?? []
  const names = secretNames.filter((name) => list.split(',').includes(name))
  return { bucket, names }
}

const clientOf = ({ AWS_REGION, AWS_ENDPOINT_URL_S3 }: Where) =>
  new S3Client({ region: AWS_REGION, forcePathStyle: AWS_ENDPOINT_URL_S3 !== undefined })

/** What nobody has put there is a setting that is not set. */
export async function readSecrets(address: string, where: Where): Promise<Secrets> {
  const { bucket, names } = parseSecretsAddress(address)
  const client = clientOf(where)
  const entries: [SecretName, string | undefined][] = await Promise.all(
    names.map(async (name) => [name, await readSecret(client, bucket, name)]),
  )
  const found: Secrets = Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  // Without it, whoever goes around the address in front would be answered.
  if (names.includes('ORIGIN_SECRET') && !found.ORIGIN_SECRET)
    throw new Error('ORIGIN_SECRET is not there yet: the first sweep of a deployment puts it there')
  return found
}

async function readSecret(client: S3Client, Bucket: string, Key: SecretName): Promise<string | undefined> {
  try {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
    return (await Body?.transformToString())?.trim()
  } catch (error) {
    if (error instanceof NoSuchKey) return undefined
    throw error
  }
}

/** Makes the secrets of a new deployment. Of those who do so at the same time one wins, and nobody replaces what is there. */
export async function makeSecrets(
  address: string,
  { ORIGIN_SECRET_ARN: originArn, ...where }: Where & Pick<Config, 'ORIGIN_SECRET_ARN'>,
  send?: typeof fetch,
): Promise<void> {
  const { bucket } = parseSecretsAddress(address)
  const client = clientOf(where)
  await makeSecret(client, bucket, 'SERVICE_SECRET', randomBytes(48).toString('base64url'))
  if (originArn === undefined) return
  const { secretValue } = await import('./origin-secret.ts')
  await makeSecret(client, bucket, 'ORIGIN_SECRET', await secretValue(originArn, client, send))
}

async function makeSecret(client: S3Client, Bucket: string, Key: SecretName, Body: string): Promise<void> {
  await client.send(new PutObjectCommand({ Bucket, Key, Body, IfNoneMatch: '*' })).catch((error: unknown) => {
    if (!(error instanceof S3ServiceException) || error.name !== 'PreconditionFailed') throw error
  })
}
