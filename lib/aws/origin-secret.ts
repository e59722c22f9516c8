import type { S3Client } from '@aws-sdk/client-s3'
import { SignatureV4 } from '@smithy/signature-v4'
import * as z from 'zod'
import { Sha256 } from '../crypto/sha256.ts'

const SecretValue = z.object({ SecretString: z.string().min(1) })

const timeoutMs = 10_000

/**
 * Reads a secret from Secrets Manager, from which CloudFormation passes it to the distribution. Sends one signed
 * request instead of loading an SDK client, because the secret is read only once per deployment.
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
 */
export async function readSecretValue(
  arn: string,
  { config }: Pick<S3Client, 'config'>,
  send: typeof fetch = fetch,
): Promise<string> {
  const [, partition, , region = ''] = arn.split(':')
  const hostname = `secretsmanager.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`
  const signer = new SignatureV4({
    service: 'secretsmanager',
    region,
    sha256: Sha256,
    credentials: config.credentials,
  })
  const body = JSON.stringify({ SecretId: arn })
  const signedRequest = await signer.sign({
    method: 'POST',
    protocol: 'https:',
    hostname,
    path: '/',
    query: {},
    body,
    headers: {
      host: hostname,
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'secretsmanager.GetSecretValue',
    },
  })
  const response = await send(`https://${hostname}/`, {
    method: 'POST',
    headers: signedRequest.headers,
    body,
    signal: AbortSignal.timeout(timeoutMs),
  })
  const text = await response.text()
  if (!response.ok)
    throw new Error(`Secrets Manager responded with status ${response.status} for ${arn}: ${text}`)
  return SecretValue.parse(JSON.parse(text)).SecretString
}
