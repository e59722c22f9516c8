// Starts the service. Each function that is deployed as a ZIP runs from its package, which is unpacked in a folder
// without this checkout. It has a /tmp of 512 MB, Lambda's environment, the permissions of its role and the quotas of a
// new account, and is called by the gateways, queues and rules.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CreateBucketCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { writePackages, zipFunctionNames } from '../../lib/deployment/zip-functions.ts'
import { callSigned, region } from '../embedded-aws/lambda-runtime.ts'
import { readDecisions } from '../permissions/used-permissions.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { secretsBucket } from './lambda-sandbox.ts'
import { unpackFunction } from './unpack.ts'

const packagesFolder = scratchFolder('packages')
process.env['RIGHTS_LOG'] = scratchFolder('packages-log')
process.env['PACKAGES'] = packagesFolder
// This module reads the environment when it is loaded.
export const { Client, startService } = await import('../support/service.ts')

type LogLine = Readonly<Record<string, unknown>>

export async function startPackagedService(settings: Record<string, string> = {}) {
  await writePackages(packagesFolder)
  await Promise.all(
    zipFunctionNames.map((name) => unpackFunction(name, packagesFolder, join(packagesFolder, name))),
  )
  const service = await startService({ OUTGOING_ALLOW: '127.0.0.0/8', ...settings })
  const credentials = JSON.parse(readFileSync(join(service.dataDir, 'secrets.json'), 'utf8')) as {
    readonly accessKeyId: string
    readonly secretAccessKey: string
  }
  const readLogLines = (): LogLine[] =>
    readFileSync(join(service.dataDir, 'service.log'), 'utf8')
      .trim()
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  const servers = readLogLines().find(({ msg }) => msg === 'service started')?.['servers'] as Record<
    string,
    string
  >
  const invoke = (name: string, event: object = {}) =>
    callSigned(`${servers['AWS_ENDPOINT_URL_LAMBDA']}/2015-03-31/functions/${name}/invocations`, {
      service: 'lambda',
      credentials,
      body: JSON.stringify(event),
    })
  const endpoint = servers['AWS_ENDPOINT_URL_S3'] ?? ''
  const s3 = new S3Client({ region, credentials, endpoint, forcePathStyle: true })
  await s3.send(new CreateBucketCommand({ Bucket: secretsBucket }))
  // The first sweep creates the secret, without which no request is served.
  const sweepReply = await invoke('sweep')
  assert.equal(sweepReply.headers.get('x-amz-function-error'), null, await sweepReply.text())
  await s3.send(new GetObjectCommand({ Bucket: secretsBucket, Key: 'SERVICE_SECRET' }))
  // Earlier failures are expected: the sweep at the start of the service found no bucket of secrets.
  const readyAt = new Date().toISOString()
  return {
    service,
    servers,
    credentials,
    readLogLines,
    invoke,
    /** Returns log lines of failures, and requests that were denied because a permission was missing. */
    findFailures: () => ({
      failed: readLogLines().filter(
        ({ level, msg, time }) =>
          ['error', 'fatal'].includes(String(level)) && msg !== 'worker exited' && String(time) > readyAt,
      ),
      denied: readDecisions(process.env['RIGHTS_LOG'] ?? '').filter(
        ({ by, resource }) => by.length === 0 && !resource.includes(secretsBucket),
      ),
    }),
  }
}
