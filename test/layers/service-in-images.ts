// Runs the service for tests of container images: table, bucket, queues and the function `api` on this machine.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { environment as deployedEnvironment } from '../../lib/deployment/functions.ts'
import { type Embedded, openEmbedded } from '../../lib/embedded-aws/embedded.ts'
import { QueueMapping } from '../../lib/embedded-aws/lambda/queue-mapping.ts'
import { Lambda } from '../../lib/embedded-aws/lambda/runtime.ts'
import { closeServer, listen } from '../../lib/embedded-aws/listen.ts'
import { createApiHandlers, createHttpRoutes, createZipFunctions } from '../../lib/local/runtime/functions.ts'
import { createHttpApi } from '../../lib/local/runtime/gateway/http-api.ts'
import { createGateway } from '../../lib/local/runtime/gateway.ts'
import { provision } from '../../lib/local/runtime/provision.ts'
import { createLog } from '../../lib/log.ts'
import { functions } from '../../lib/resources/functions.ts'
import { defaultQueueMapping } from '../../lib/resources/queue-functions.ts'
import type { QueueId } from '../../lib/resources/queues.ts'
import { Client, type JobData } from '../support/service.ts'
import { type LambdaOptions, openNetwork, startLambda } from './lambda.ts'

const region = 'eu-central-1'
const credentials = { accessKeyId: 'AKIAIMAGESTEST000000', secretAccessKey: 'a'.repeat(40) }
const log = createLog({ LOG_LEVEL: 'error', LOG_FILE: undefined })

export type ServiceInImages = Awaited<ReturnType<typeof openService>>
export type Serving = Awaited<ReturnType<ServiceInImages['serve']>>

/** Opens a service. Tests can also write to its folder. */
export async function openService() {
  const cleanups: (() => unknown)[] = []
  const folder = mkdtempSync(join(tmpdir(), 'mutabor-images-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  const network = openNetwork()
  cleanups.push(network.close)
  const host = network.hostAddress
  const invoke = () => Promise.resolve()
  const embeddedAws = await openEmbedded({ dir: folder, host, region, credentials, invoke, log })
  cleanups.push(embeddedAws.close)
  const table = await startTcpProxy(host, new URL(embeddedAws.urls.DYNAMODB))
  cleanups.push(table.close)
  const { environment, queues } = await readEnvironment({ ...embeddedAws.urls, DYNAMODB: table.url })
  const { createApi } = await import('../../functions/all-routes.ts')
  const { MIN_FREE_DISK_GB } = deployedEnvironment
  // Tests capture websites on this host.
  const apiEnvironment = {
    ...environment,
    MIN_FREE_DISK_GB,
    LOG_LEVEL: 'error',
    OUTGOING_ALLOW: `${host}/32`,
  }
  const handlers = createApiHandlers(createApi(apiEnvironment))
  const zipped = createZipFunctions({ api: functions.api }, handlers, {})
  const options = { routes: createHttpRoutes({ api: functions.api }), streamedFunctions: ['api'], log }
  const http = createHttpApi({ ...options, lambda: new Lambda({ functions: zipped, region, log }) })
  const gateway = createGateway({ http })
  const client = new Client({ url: `http://127.0.0.1:${await listen(gateway, 0, '127.0.0.1')}` })
  cleanups.push(() => closeServer(gateway))

  /** Processes the messages of a queue in a container until the container or the service is closed. */
  const serve = async (queue: QueueId, timeoutS: number, options: Omit<LambdaOptions, 'network'>) => {
    const lambda = await startLambda({ ...options, network })
    const { url: queueUrl, arn: queueArn } = queues[queue]
    const mapping = new QueueMapping({
      queueUrl,
      queueArn,
      region,
      concurrency: 1,
      settings: defaultQueueMapping,
      log,
      invoke: async (event) => {
        const outcome = await lambda.invoke(event, timeoutS)
        if ('error' in outcome) throw new Error(JSON.stringify(outcome.error))
        return outcome.response
      },
    })
    let isOpen = true
    const end = async () => {
      if (!isOpen) return
      isOpen = false
      await mapping.close()
      lambda.close()
    }
    cleanups.push(end)
    return { ...lambda, close: end }
  }

  const close = async () => {
    for (const end of cleanups.reverse()) await end()
  }
  return { client, folder, network, environment, serve, close }
}

/** Forwards TCP connections: the embedded DynamoDB only listens on loopback, which containers cannot reach. */
async function startTcpProxy(host: string, target: URL) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const targetSocket = connect(Number(target.port), target.hostname)
    for (const end of [socket, targetSocket]) {
      sockets.add(end)
      end.on('error', () => end.destroy()).on('close', () => sockets.delete(end))
    }
    pipeline(socket, targetSocket, socket).catch(() => {})
  })
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server's address is an AddressInfo
  const close = () => {
    server.close()
    // Connections that are open when the network is removed would never be closed by the other side.
    for (const socket of sockets) socket.destroy()
  }
  return { url: `http://${host}:${port}`, close }
}

async function readEnvironment(urls: Embedded['urls']) {
  const access = {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    ...Object.fromEntries(Object.entries(urls).map(([service, url]) => [`AWS_ENDPOINT_URL_${service}`, url])),
  }
  Object.assign(process.env, access)
  const names = { tableName: 'mutabor', bucketName: 'mutabor', busName: 'mutabor', queuePrefix: 'mutabor-' }
  const { queues } = await provision({ region, ...names })
  const environment = {
    ...access,
    TABLE_NAME: names.tableName,
    BUCKET_NAME: names.bucketName,
    BUS_NAME: names.busName,
    QUEUE_URL_PREFIX: queues.image.url.slice(0, -'image'.length),
    SERVICE_SECRET: 'x'.repeat(40),
  }
  return { environment, queues }
}

/** Sends a file and returns the finished job. */
export async function convertAndWait(
  { client }: Pick<ServiceInImages, 'client'>,
  file: { readonly name: string; readonly bytes: Buffer<ArrayBuffer> },
  fields: Record<string, string>,
): Promise<JobData> {
  const acceptedReply = await client.convert(file, fields)
  const body = (await acceptedReply.json()) as { data: { jobId: string } }
  assert.equal(acceptedReply.status, 202, JSON.stringify(body))
  return client.finishedJob(body.data.jobId)
}
