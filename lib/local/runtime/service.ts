import { closeSync, openSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Connections } from '../../aws/connections.ts'
import { type Config, processEnvironment, readConfig } from '../../config.ts'
import { openEmbedded } from '../../embedded-aws/embedded.ts'
import { AsyncInvocations } from '../../embedded-aws/lambda/async-invocations.ts'
import { Lambda } from '../../embedded-aws/lambda/runtime.ts'
import { closeServer, listen } from '../../embedded-aws/listen.ts'
import { engines } from '../../engines/index.ts'
import { confinement, confinementProblem } from '../../engines/sandbox/isolation.ts'
import { socketTarget } from '../../live/paths.ts'
import { functions } from '../../resources/functions.ts'
import { webSocketApi as webSocketDeclaration } from '../../resources/web-sockets.ts'
import { openDataFolder } from './data-folder.ts'
import {
  chooseCredentials,
  chooseEndpoints,
  type Environment,
  functionEnvironment,
  inProcessConnections,
  type PartialEnvironment,
} from './environment.ts'
import {
  apiFunctions,
  createApiHandlers,
  createCountingHandler,
  createLiveHandlers,
  createZipFunctions,
  httpRoutes,
  webSocketRoutes,
} from './functions.ts'
import { createHttpApi } from './gateway/http-api.ts'
import { createSocketExchange } from './gateway/socket-exchange.ts'
import { createGateway, type GatewayParts, type SocketTarget, s3Path } from './gateway.ts'
import { findInstalledEngines } from './installed-engines.ts'
import { type IsolatedFunctions, startIsolatedFunctions } from './isolated-functions.ts'
import { waitForJobEnd } from './job-notifications.ts'
import { type LambdaAndSocketsApiParts, openLambdaAndSocketsApi } from './lambda-and-sockets-api.ts'
import { provision } from './provision.ts'
import { openQueueWorkers } from './queue-workers.ts'

export interface Service {
  /** URL for clients, without a trailing slash. */
  readonly url: string
  readonly missingEngines: readonly string[]
  close(): Promise<void>
}

/** The parts that run functions. */
type FunctionRuntime = LambdaAndSocketsApiParts & { readonly asyncInvocations: AsyncInvocations }

/**
 * Starts the whole service on this machine; `close` stops its parts in reverse order.
 * @param onAcceptedLoss see `DamageOptions`
 */
export async function startService(
  env: PartialEnvironment,
  isolated?: IsolatedFunctions,
  onAcceptedLoss?: (message: string) => void,
): Promise<Service> {
  const config = readConfig(env)
  let onDiskFull = (): void => undefined
  const folder = await openDataFolder(config, () => onDiskFull(), { onAcceptedLoss })
  const { dataDir, logFile, log, secrets, workDir, reserve } = folder
  // Callers of functions start before the functions do, and wait for these promises.
  const lambdaApi = Promise.withResolvers<FunctionRuntime>()
  const gateway = Promise.withResolvers<GatewayParts>()
  const embedded = await openEmbedded({
    dir: dataDir,
    region: config.AWS_REGION,
    credentials: secrets,
    callers: isolated?.callers,
    s3BasePath: s3Path,
    invoke: createInvoker(lambdaApi.promise),
    log,
  })
  const endpoints = chooseEndpoints(env, embedded)
  const credentialVariables = chooseCredentials(env, endpoints, secrets)
  const connections: Connections = isolated
    ? {}
    : {
        ...inProcessConnections(endpoints, embedded, credentialVariables),
        sockets: createSocketExchange(lambdaApi.promise),
      }
  // The SDK reads endpoints and credentials from the environment, as it does on Lambda.
  Object.assign(processEnvironment, endpoints.urls, credentialVariables)
  const { queues, invocations, deadLetters } = await provision({
    region: config.AWS_REGION,
    tableName: config.TABLE_NAME,
    bucketName: config.BUCKET_NAME,
    busName: config.BUS_NAME,
    queuePrefix: 'mutabor-',
  })

  const socketRoutes = webSocketRoutes(functions)
  const hasWebSockets = socketRoutes.length > 0
  const publicPort = await openPublicPort(config, gateway.promise, hasWebSockets ? socketTarget : undefined)
  const url = config.PUBLIC_URL?.replace(/\/$/, '') ?? localUrl(config.HOST, publicPort.port)
  const lambdaServer = await openLambdaAndSocketsApi(lambdaApi.promise, {
    credentials: [secrets, ...(isolated?.callers.credentials ?? [])],
    authorize:
      isolated &&
      ((request) => request.accessKeyId === secrets.accessKeyId || isolated.callers.authorize(request)),
    log,
  })
  const enabledEngines = engines.filter(({ id }) => config.ENGINES?.includes(id) ?? true)
  // Engines that cannot be confined as the settings demand count as not installed.
  const reason = confinementProblem(await confinement(), config.MIN_CONFINEMENT)
  if (reason !== undefined) log.error({ reason }, 'no engines are used')
  const usableEngines = reason === undefined ? await findInstalledEngines(enabledEngines) : []
  const environment = functionEnvironment({
    env,
    config,
    secrets,
    endpoints,
    credentialVariables,
    url,
    workDir,
    logFile,
    hasWebSockets,
    queueUrlPrefix: queues.image.url.slice(0, -'image'.length),
    lambdaUrl: lambdaServer.url,
    engines: usableEngines.map(({ id }) => id),
  })
  Object.assign(processEnvironment, environment)

  const logFd = openSync(logFile, 'a')
  const zipHandlers = isolated
    ? startIsolatedFunctions({ isolated, environment, logFd, log, idleMs: config.WORKER_IDLE_S * 1000 })
    : await loadInProcessFunctions(environment, connections)
  const queueWorkers = openQueueWorkers({
    config,
    environment,
    logFd,
    log,
    isolated,
    connection: connections.sqs,
    ...(!isolated &&
      !endpoints.isS3External && {
        exchange: embedded.exchange({ bucket: config.BUCKET_NAME, folder: workDir }),
      }),
  })
  const zipFunctionList = createZipFunctions(functions, zipHandlers.handlers, deadLetters)
  const lambda = new Lambda({
    functions: [...zipFunctionList, ...queueWorkers.functions],
    region: config.AWS_REGION,
    log,
    beforeInvoke: () => reserve.ensureFreeSpace(),
  })
  const asyncInvocations = new AsyncInvocations({
    lambda,
    queue: invocations,
    log,
    connection: connections.sqs,
    ...(isolated && { retryDelaysS: isolated.retryDelaysS, deadLetterConnection: isolated.connectionFor }),
  })
  const webSocketApi = hasWebSockets
    ? new (await import('./gateway/websocket-api.ts')).WebSocketApi({
        lambda,
        routes: socketRoutes,
        routeSelectionExpression: webSocketDeclaration.routeSelectionExpression,
        stage: 'local',
        log,
      })
    : undefined
  // Files that workers are writing may be truncated.
  onDiskFull = () => queueWorkers.broadcast({ type: 'disk-full' })
  lambdaApi.resolve({ lambda, asyncInvocations, webSocketApi })
  queueWorkers.start(lambda, queues)
  gateway.resolve({
    http: createHttpApi({
      lambda,
      routes: httpRoutes(functions),
      log,
      streamed: config.REQUEST_BODIES === 'streamed' ? apiFunctions : [],
    }),
    s3: endpoints.isS3External ? undefined : embedded.handle.S3,
    webSocket: webSocketApi && ((...handshake) => webSocketApi.upgrade(...handshake)),
  })
  // Work left unfinished by the last run need not wait for the schedule.
  await lambda.invoke('sweep', {})
  const servers = { ...endpoints.urls, AWS_ENDPOINT_URL_LAMBDA: environment.AWS_ENDPOINT_URL_LAMBDA }
  log.info({ url, engines: environment.ENGINES, servers }, 'service started')
  return {
    url,
    missingEngines: enabledEngines.filter((engine) => !usableEngines.includes(engine)).map(({ id }) => id),
    close: async () => {
      log.info('service stopping')
      await Promise.all([publicPort.close(), webSocketApi?.close()])
      await Promise.all([queueWorkers.close(), asyncInvocations.close()])
      await zipHandlers.close()
      await lambdaServer.close()
      await embedded.close()
      closeSync(logFd)
      await folder.close()
    },
  }
}

/** Loads the functions of zip packages into this process, with direct connections to the embedded servers. */
async function loadInProcessFunctions(environment: Environment, connections: Connections) {
  const { createApi } = await import('../../../functions/all-routes.ts')
  const { createLive } = await import('../../../functions/live.ts')
  const { createUsageCounter } = await import('../../../functions/count-usage.ts')
  const counting = createUsageCounter({ environment, gatherMs: usageBatchMs })
  const handlers = {
    ...createApiHandlers(createApi(environment, waitForJobEnd, connections)),
    ...createLiveHandlers(createLive(environment, connections)),
    ...createCountingHandler(counting),
  }
  return { handlers, close: () => counting.close() }
}

/** How long ended jobs are collected before their usage is counted. */
const usageBatchMs = 500

/** Invokes functions for rules and schedules; an accepted invocation runs at least once. */
function createInvoker(parts: Promise<FunctionRuntime>) {
  return async (arn: string, payload: unknown): Promise<void> => {
    const name = arn.slice(arn.lastIndexOf(':') + 1)
    const { lambda, asyncInvocations } = await parts
    if (!lambda.find(name))
      throw Object.assign(new Error(`Function not found: ${arn}`), { name: 'ResourceNotFoundException' })
    await asyncInvocations.runOrAccept(name, JSON.stringify(payload))
  }
}

function localUrl(host: string, port: number): string {
  const local = ['localhost', '127.0.0.1', '::1', '0.0.0.0', '::'].includes(host)
  return `http://${local ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Opens the port before anything depends on its number; requests wait until the service is ready. */
async function openPublicPort({ HOST, PORT }: Config, parts: Promise<GatewayParts>, target?: SocketTarget) {
  const servers: Server[] = []
  const bind = async (host: string, port: number) => {
    const server = createGateway(parts, { socketTarget: target })
    const bound = await listen(server, port, host)
    servers.push(server)
    return bound
  }
  const port = await bind(HOST === 'localhost' ? '127.0.0.1' : HOST, PORT)
  // Clients may resolve "localhost" to either address; a machine without IPv6 has only one.
  if (HOST === 'localhost') await bind('::1', port).catch(() => undefined)
  return { port, close: () => Promise.all(servers.map(closeServer)) }
}
