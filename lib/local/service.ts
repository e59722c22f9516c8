import { closeSync, openSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Connections } from '../aws/connections.ts'
import { type Config, processEnvironment, readConfig } from '../config.ts'
import { engines } from '../engines/index.ts'
import { confinement, confinementProblem } from '../engines/sandbox/isolation.ts'
import { socketTarget } from '../live/paths.ts'
import { functions } from '../resources/functions.ts'
import { webSocketApi as webSocketDeclaration } from '../resources/web-sockets.ts'
import { openConversions } from './queue-workers.ts'
import { openDataFolder } from './data-folder.ts'
import { openEmbedded } from './embedded.ts'
import {
  accessOf,
  connectionsOf,
  type Environment,
  endpoints,
  functionEnvironment,
  type Given,
} from './environment.ts'
import {
  apiFunctions,
  apiHandlers,
  countingHandler,
  httpRoutes,
  liveHandlers,
  webSocketRoutes,
  zipFunctions,
} from './functions.ts'
import { createHttpApi } from './gateway/http-api.ts'
import { socketExchange } from './gateway/socket-exchange.ts'
import { createGateway, type GatewayParts, type SocketTarget, s3Path } from './gateway.ts'
import { installedEngines } from './installed-engines.ts'
import { type Apart, functionsApart } from './isolated-functions.ts'
import { waitForHint } from './job-notifications.ts'
import { Asynchronous } from './lambda/async-invocations.ts'
import { Lambda } from './lambda/runtime.ts'
import { type ControlParts, openControl } from './lambda-and-sockets-api.ts'
import { close, listen } from './listen.ts'
import { provision } from './provision.ts'

export interface Service {
  /** Where clients find it, without a slash at the end. */
  readonly url: string
  readonly missingEngines: readonly string[]
  close(): Promise<void>
}

/** What runs functions. */
type Runtime = ControlParts & { readonly asynchronous: Asynchronous }

/** The whole service on this machine, as one list of steps; `close` goes the same way back. */
export async function startService(given: Given, apart?: Apart): Promise<Service> {
  const config = readConfig(given)
  let onFull = (): void => undefined
  const folder = await openDataFolder(config, () => onFull())
  const { dataDir, logFile, log, secrets, workDir, reserve } = folder
  // What calls functions is there before them, and waits.
  const control = Promise.withResolvers<Runtime>()
  const gateway = Promise.withResolvers<GatewayParts>()
  const embedded = await openEmbedded({
    dir: dataDir,
    region: config.AWS_REGION,
    credentials: secrets,
    callers: apart?.callers,
    s3BasePath: s3Path,
    invoke: invokerOf(control.promise),
    log,
  })
  const external = endpoints(given, embedded)
  const access = accessOf(given, external, secrets)
  const connections: Connections = apart
    ? {}
    : { ...connectionsOf(external, embedded, access), sockets: socketExchange(control.promise) }
  // The SDK reads endpoints and credentials from the environment, as it does on Lambda.
  Object.assign(processEnvironment, external.urls, access)
  const { queues, invocations, deadLetters } = await provision({
    region: config.AWS_REGION,
    tableName: config.TABLE_NAME,
    bucketName: config.BUCKET_NAME,
    busName: config.BUS_NAME,
    queuePrefix: 'mutabor-',
  })

  const overWebSocket = webSocketRoutes(functions)
  const hasWebSockets = overWebSocket.length > 0
  const gate = await openGate(config, gateway.promise, hasWebSockets ? socketTarget : undefined)
  const url = config.PUBLIC_URL?.replace(/\/$/, '') ?? addressOf(config.HOST, gate.port)
  const controlServer = await openControl(control.promise, {
    credentials: [secrets, ...(apart?.callers.credentials ?? [])],
    may: apart && ((asked) => asked.accessKeyId === secrets.accessKeyId || apart.callers.may(asked)),
    log,
  })
  const wanted = engines.filter(({ id }) => config.ENGINES?.includes(id) ?? true)
  // Engines that could not be held as the settings want it count as not installed.
  const reason = confinementProblem(await confinement(), config.MIN_CONFINEMENT)
  if (reason !== undefined) log.error({ reason }, 'no engine is used')
  const present = reason === undefined ? await installedEngines(wanted) : []
  const environment = functionEnvironment({
    ...{ given, config, secrets, external, access, url, workDir, logFile, hasWebSockets },
    queueUrlPrefix: queues.image.url.slice(0, -'image'.length),
    controlUrl: controlServer.url,
    engines: present.map(({ id }) => id),
  })
  Object.assign(processEnvironment, environment)

  const logFd = openSync(logFile, 'a')
  const prepared = apart
    ? functionsApart({ apart, environment, logFd, log, idleMs: config.WORKER_IDLE_S * 1000 })
    : await functionsTogether(environment, connections)
  const conversions = openConversions({
    ...{ config, environment, logFd, log, apart },
    connection: connections.sqs,
    ...(!apart &&
      !external.s3IsForeign && {
        exchange: embedded.exchange({ bucket: config.BUCKET_NAME, folder: workDir }),
      }),
  })
  const zipped = zipFunctions(functions, prepared.handlers, deadLetters)
  const lambda = new Lambda({
    functions: [...zipped, ...conversions.functions],
    region: config.AWS_REGION,
    log,
    before: () => reserve.makeRoom(),
  })
  const asynchronous = new Asynchronous({
    ...{ lambda, queue: invocations, log },
    connection: connections.sqs,
    ...(apart && { delaysS: apart.delaysS, as: apart.connectionOf }),
  })
  const webSocketApi = hasWebSockets
    ? new (await import('./gateway/websocket-api.ts')).WebSocketApi({
        lambda,
        routes: overWebSocket,
        routeSelectionExpression: webSocketDeclaration.routeSelectionExpression,
        stage: 'local',
        log,
      })
    : undefined
  // What they write may be cut off.
  onFull = () => conversions.tell({ type: 'disk-full' })
  control.resolve({ lambda, asynchronous, webSocketApi })
  conversions.start(lambda, queues)
  gateway.resolve({
    http: createHttpApi({
      ...{ lambda, routes: httpRoutes(functions), log },
      streamed: config.REQUEST_BODIES === 'streamed' ? apiFunctions : [],
    }),
    s3: external.s3IsForeign ? undefined : embedded.handle.S3,
    webSocket: webSocketApi && ((...handshake) => webSocketApi.upgrade(...handshake)),
  })
  // What was left unfinished at the last end need not wait for the schedule.
  await lambda.invoke('sweep', {})
  const servers = { ...external.urls, AWS_ENDPOINT_URL_LAMBDA: environment.AWS_ENDPOINT_URL_LAMBDA }
  log.info({ url, engines: environment.ENGINES, servers }, 'service started')
  return {
    url,
    missingEngines: wanted.filter((engine) => !present.includes(engine)).map(({ id }) => id),
    close: async () => {
      log.info('service ends')
      await Promise.all([gate.close(), webSocketApi?.close()])
      await Promise.all([conversions.close(), asynchronous.close()])
      await prepared.close()
      await controlServer.close()
      await embedded.close()
      closeSync(logFd)
      await folder.close()
    },
  }
}

/** Functions of zip packages in this process, with what is near them. */
async function functionsTogether(environment: Environment, connections: Connections) {
  const { createApi } = await import('../../functions/all-routes.ts')
  const { createLive } = await import('../../functions/live.ts')
  const { createUsageCounter } = await import('../../functions/count-usage.ts')
  const counting = createUsageCounter({ environment, gatherMs: countTogetherMs })
  const handlers = {
    ...apiHandlers(createApi(environment, waitForHint, connections)),
    ...liveHandlers(createLive(environment, connections)),
    ...countingHandler(counting),
  }
  return { handlers, close: () => counting.close() }
}

/** Milliseconds for which ends of jobs are gathered before they are counted. */
const countTogetherMs = 500

/** How rules and schedules reach functions: what was accepted runs at least once. */
function invokerOf(parts: Promise<Runtime>) {
  return async (arn: string, payload: unknown): Promise<void> => {
    const name = arn.slice(arn.lastIndexOf(':') + 1)
    const { lambda, asynchronous } = await parts
    if (!lambda.find(name))
      throw Object.assign(new Error(`Function not found: ${arn}`), { name: 'ResourceNotFoundException' })
    await asynchronous.deliver(name, JSON.stringify(payload))
  }
}

function addressOf(host: string, port: number): string {
  const local = ['localhost', '127.0.0.1', '::1', '0.0.0.0', '::'].includes(host)
  return `http://${local ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Takes the port before anything else depends on its number; requests wait until the service is there. */
async function openGate({ HOST, PORT }: Config, parts: Promise<GatewayParts>, target?: SocketTarget) {
  const servers: Server[] = []
  const bind = async (host: string, port: number) => {
    const server = createGateway(parts, { socketTarget: target })
    const bound = await listen(server, port, host)
    servers.push(server)
    return bound
  }
  const port = await bind(HOST === 'localhost' ? '127.0.0.1' : HOST, PORT)
  // Clients may take either address for "localhost"; a machine without IPv6 has one.
  if (HOST === 'localhost') await bind('::1', port).catch(() => undefined)
  return { port, close: () => Promise.all(servers.map(close)) }
}
