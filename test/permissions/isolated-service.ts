// Starts the service with each function under its deployed role, for the tests of permissions. With
// RIGHTS_LOG=<folder>, all other tests start the service in this way, too.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { callSigned, region } from '../embedded-aws/lambda-runtime.ts'
import { createManagerKey } from '../support/account.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openReceiver } from '../webhooks/receiver.ts'

/** Folder in which authorization decisions are recorded. */
export const folder = scratchFolder('rights')
process.env['RIGHTS_LOG'] = folder
// The module reads the environment when it is loaded.
export const { Client, startService } = await import('../support/service.ts')
type AnyClient = InstanceType<typeof Client>

export const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url))
/** A font that is installed with the engines. */
export const font = '/usr/share/fonts/truetype/crosextra/Caladea-Italic.ttf'

export const simpleJob = {
  text: { operation: 'import/raw', filename: 'a.md', file: '# A' },
  page: { operation: 'convert', input: 'text', output_format: 'html' },
  out: { operation: 'export/url', input: 'page' },
}
export const uploadJob = {
  sent: { operation: 'import/upload' },
  made: { operation: 'convert', input: 'sent', output_format: 'jpg' },
  out: { operation: 'export/url', input: 'made' },
}
/** Returns the upload form from the reply for a job that waits for its upload. */
export function readUploadForm(reply: unknown) {
  const { data } = reply as {
    data: { tasks: { sent: { result: { form: { url: string; parameters: Record<string, string> } } } } }
  }
  return data.tasks.sent.result.form
}

const web = createServer((request, response) => {
  if (request.url === '/page') return void response.end('<h1>A page</h1>')
  // This takes longer than the heartbeat interval of the worker.
  if (request.url === '/slow.md') return void setTimeout(() => response.end('# slow'), 4000)
  response.writeHead(200, { 'content-length': 40_000_000 })
  response.write(Buffer.alloc(20_000_000))
  setTimeout(() => response.destroy(), 500)
})

/**
 * Does not use `fetch`, whose replies are checked against the OpenAPI document: this function waits until the service
 * can send that document.
 */
async function fetchStatus(url: string): Promise<number | undefined> {
  const [response] = (await once(get(url), 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

/** Starts the service, a webhook receiver and a website. The jobs of an owner run one after another. */
export async function openIsolatedService() {
  web.listen(0, '127.0.0.1')
  await once(web, 'listening')
  const site = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
  const receiver = await openReceiver()
  const plansFile = join(folder, 'plans.json')
  writeFileSync(
    plansFile,
    JSON.stringify({ 'self-hosted': { concurrentJobs: 1 }, pro: { concurrentJobs: 1 } }),
  )
  const service = await startService({ OUTGOING_ALLOW: '127.0.0.0/8', PLANS_FILE: plansFile })
  const credentials = JSON.parse(readFileSync(join(service.dataDir, 'secrets.json'), 'utf8')) as {
    accessKeyId: string
    secretAccessKey: string
  }
  const lines = readFileSync(join(service.dataDir, 'service.log'), 'utf8').trim().split('\n')
  const startedLine = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'service started')
  const servers: Record<string, string> = startedLine.servers
  const ownConfig = { region, credentials }
  const table = DynamoDBDocumentClient.from(
    new DynamoDBClient({ ...ownConfig, endpoint: servers['AWS_ENDPOINT_URL_DYNAMODB'] ?? '' }),
  )
  const sqs = new SQSClient({ ...ownConfig, endpoint: servers['AWS_ENDPOINT_URL_SQS'] ?? '' })

  // On a busy machine, the start can take longer than a request may.
  await waitUntil(
    async () => (await fetchStatus(`${service.url}/v1/openapi.json`)) === 200,
    'the API answers',
    180,
  )

  /** Creates a client with an account and two webhooks, so that events of its jobs use them. */
  async function newMember(): Promise<AnyClient> {
    const key = await createManagerKey(service)
    class Member extends Client {
      override fetch(path: string, init: RequestInit = {}): Promise<Response> {
        const headers = new Headers(init.headers)
        headers.set('x-api-key', key)
        return super.fetch(path, { ...init, headers })
      }
    }
    const member = new Member(service)
    for (const path of ['/members', '/others']) {
      const hook = await member.post('/v1/webhooks', { url: receiver.url(path), events: ['job.failed'] })
      assert.equal(hook.status, 201, await hook.clone().text())
    }
    return member
  }

  return {
    service,
    servers,
    credentials,
    receiver,
    site,
    newMember,
    newClient: (): AnyClient => new Client(service),
    job: async (client: AnyClient, tasks: object, fields: object = {}) =>
      client.accepted(await client.post('/v1/jobs', { tasks, ...fields })),
    send: (queue: string, message: object) =>
      sqs.send(
        new SendMessageCommand({
          QueueUrl: `${servers['AWS_ENDPOINT_URL_SQS']}/000000000000/mutabor-${queue}`,
          MessageBody: JSON.stringify(message),
        }),
      ),
    countMessages: async (queue: string) => {
      const { Attributes } = await sqs.send(
        new GetQueueAttributesCommand({
          QueueUrl: `${servers['AWS_ENDPOINT_URL_SQS']}/000000000000/mutabor-${queue}`,
          AttributeNames: ['ApproximateNumberOfMessages'],
        }),
      )
      return Number(Attributes?.['ApproximateNumberOfMessages'])
    },
    invoke: (name: string, event: object, type = 'RequestResponse') =>
      callSigned(`${servers['AWS_ENDPOINT_URL_LAMBDA']}/2015-03-31/functions/${name}/invocations`, {
        service: 'lambda',
        credentials,
        body: JSON.stringify(event),
        headers: { 'x-amz-invocation-type': type },
      }),
    change: (pk: string, sk: string, values: Readonly<Record<string, unknown>>) =>
      table.send(
        new UpdateCommand({
          TableName: 'mutabor',
          Key: { pk, sk },
          UpdateExpression: `SET ${Object.keys(values).map((name) => `#${name} = :${name}`)}`,
          ExpressionAttributeNames: Object.fromEntries(Object.keys(values).map((name) => [`#${name}`, name])),
          ExpressionAttributeValues: Object.fromEntries(
            Object.entries(values).map(([name, value]) => [`:${name}`, value]),
          ),
        }),
      ),
    close: async () => {
      await service.stop()
      receiver.close()
      web.close()
      web.closeAllConnections()
    },
  }
}
