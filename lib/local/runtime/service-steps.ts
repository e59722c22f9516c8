import { chmodSync, closeSync, copyFileSync, openSync } from 'node:fs'
import type { ServiceConnections } from '../../aws/connections.ts'
import { type Config, processEnvironment } from '../../config.ts'
import { type Embedded, openEmbedded } from '../../embedded-aws/embedded.ts'
import { AsyncInvocations } from '../../embedded-aws/lambda/async-invocations.ts'
import { Lambda } from '../../embedded-aws/lambda/runtime.ts'
import type { Engine } from '../../engines/engine.ts'
import { engines } from '../../engines/index.ts'
import { describeConfinementProblem, getConfinement } from '../../engines/sandbox/isolation.ts'
import { getSocketTarget } from '../../live/paths.ts'
import { functions } from '../../resources/functions.ts'
import { webSocketApi as webSocketDeclaration } from '../../resources/web-sockets.ts'
import { onSpanEnd } from '../../trace.ts'
import type { AnyStep } from './boot.ts'
import { type DataFolder, openDataFolder, restrictEntries } from './data-folder.ts'
import {
  chooseCredentials,
  chooseEndpoints,
  createFunctionEnvironment,
  createInProcessConnections,
  type Environment,
  type PartialEnvironment,
  type ServiceEndpoints,
} from './environment.ts'
import { apiFunctionNames, createHttpRoutes, createWebSocketRoutes, createZipFunctions } from './functions.ts'
import { createHttpApi } from './gateway/http-api.ts'
import { createSocketExchange } from './gateway/socket-exchange.ts'
import { type GatewayParts, s3Path } from './gateway.ts'
import { type InProcessFunctions, loadInProcessFunctions } from './in-process-functions.ts'
import { findInstalledEngines } from './installed-engines.ts'
import { type IsolatedFunctions, startIsolatedFunctions } from './isolated-functions.ts'
import {
  type LambdaAndSocketsApi,
  type LambdaAndSocketsApiParts,
  openLambdaAndSocketsApi,
} from './lambda-and-sockets-api.ts'
import { type ProvisionedQueues, provision } from './provision.ts'
import { openPublicPort, type PublicPort } from './public-port.ts'
import { openQueueWorkers, type QueueWorkers } from './queue-workers.ts'
import type { LocalSpanExporter } from './span-exporter.ts'
import { getPlansFile } from './worker-environment.ts'
import { assignWorkerUser, findWorkerUserProblem, type WorkerUser } from './worker-user.ts'

interface ServiceInputs {
  readonly env: PartialEnvironment
  readonly config: Config
  readonly isolated: IsolatedFunctions | undefined
  /** Called with each accepted loss; see `DamageOptions`. */
  readonly onAcceptedLoss: ((message: string) => void) | undefined
}

interface Aws {
  readonly endpoints: ServiceEndpoints
  readonly credentialVariables: Environment
  readonly connections: ServiceConnections
}

/** The parts that run functions. */
type FunctionRuntime = LambdaAndSocketsApiParts & { readonly asyncInvocations: AsyncInvocations }

interface ServiceParts {
  folder: DataFolder
  /** Exporter of spans; undefined without a collector. */
  spanExporter: LocalSpanExporter | undefined
  /** File descriptor to which worker processes write their output. */
  logFd: number
  embedded: Embedded
  aws: Aws
  provisioned: ProvisionedQueues
  publicPort: PublicPort
  lambdaApi: LambdaAndSocketsApi
  engines: { readonly usableEngines: readonly Engine[]; readonly missingEngines: readonly string[] }
  environment: Environment
  /** User of the worker processes; undefined if they run as the user of the service. */
  workerUser: WorkerUser | undefined
  zipFunctions: InProcessFunctions
  queueWorkers: QueueWorkers
  runtime: FunctionRuntime
  gateway: GatewayParts
  /** The service as a whole, which starts when everything else runs. */
  service: undefined
}

const socketRoutes = createWebSocketRoutes(functions)
const hasWebSockets = socketRoutes.length > 0

/** The steps that start the service on this machine. */
export const serviceSteps: readonly AnyStep<ServiceInputs, ServiceParts>[] = [
  {
    name: 'folder',
    start: (parts) => {
      // On a full disk, files that workers are writing may be truncated. Before the step `queueWorkers`, there are
      // none.
      const onDiskFull = () => parts.queueWorkers?.broadcast({ type: 'disk-full' })
      const { onAcceptedLoss } = parts
      return openDataFolder(parts.config, onDiskFull, { onAcceptedLoss })
    },
    stop: ({ folder }) => folder.close(),
  },
  {
    name: 'spanExporter',
    start: async ({ config: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, folder: { log } }) => {
      if (endpoint === undefined) return undefined
      const { LocalSpanExporter } = await import('./span-exporter.ts')
      const exporter = new LocalSpanExporter(endpoint, log)
      onSpanEnd((span) => exporter.export(span))
      return exporter
    },
    stop: ({ spanExporter }) => spanExporter?.close(),
  },
  {
    name: 'logFd',
    start: ({ folder }) => openSync(folder.logFile, 'a'),
    stop: ({ logFd }) => closeSync(logFd),
  },
  {
    name: 'embedded',
    start: ({ config, folder, isolated }, getLaterPart) =>
      openEmbedded({
        dir: folder.dataDir,
        region: config.AWS_REGION,
        credentials: folder.secrets,
        callers: isolated?.callers,
        quotas: isolated?.quotas,
        s3BasePath: s3Path,
        readerGroup: folder.workerUser?.gid,
        invoke: createInvoker(getLaterPart('runtime')),
        log: folder.log,
      }),
    stop: ({ embedded }) => embedded.close(),
  },
  {
    name: 'aws',
    start: ({ env, folder, embedded, isolated }, getLaterPart) => {
      const endpoints = chooseEndpoints(env, embedded)
      const credentialVariables = chooseCredentials(env, endpoints, folder.secrets)
      // The SDK reads endpoints and credentials from the environment, as it does on Lambda.
      Object.assign(processEnvironment, endpoints.urls, credentialVariables)
      const connections: ServiceConnections = isolated
        ? {}
        : {
            ...createInProcessConnections(endpoints, embedded, credentialVariables),
            sockets: createSocketExchange(getLaterPart('runtime')),
          }
      return { endpoints, credentialVariables, connections }
    },
  },
  {
    name: 'provisioned',
    start: ({ config }) =>
      provision({
        region: config.AWS_REGION,
        tableName: config.TABLE_NAME,
        bucketName: config.BUCKET_NAME,
        busName: config.BUS_NAME,
        queuePrefix: 'mutabor-',
      }),
  },
  {
    name: 'publicPort',
    start: ({ config }, getLaterPart) =>
      openPublicPort(config, getLaterPart('gateway'), hasWebSockets ? getSocketTarget : undefined),
    stop: ({ publicPort }) => publicPort.close(),
  },
  {
    name: 'lambdaApi',
    start: ({ folder: { secrets, log }, isolated }, getLaterPart) =>
      openLambdaAndSocketsApi(getLaterPart('runtime'), {
        credentials: [secrets, ...(isolated?.callers.credentials ?? [])],
        authorize:
          isolated &&
          ((request) => request.accessKeyId === secrets.accessKeyId || isolated.callers.authorize(request)),
        log,
      }),
    stop: ({ lambdaApi }) => lambdaApi.close(),
  },
  {
    name: 'engines',
    start: async ({ config, folder }) => {
      const enabledEngines = engines.filter(({ id }) => config.ENGINES?.includes(id) ?? true)
      // Engines that cannot be confined as the settings demand count as not installed.
      const reason = describeConfinementProblem(await getConfinement(), config.MIN_CONFINEMENT)
      if (reason !== undefined) folder.log.error({ reason }, 'conversions are disabled')
      const usableEngines = reason === undefined ? await findInstalledEngines(enabledEngines) : []
      return {
        usableEngines,
        missingEngines: enabledEngines
          .filter((engine) => !usableEngines.includes(engine))
          .map(({ id }) => id),
      }
    },
  },
  {
    name: 'environment',
    start: (parts) => {
      const { env, config, folder, aws } = parts
      const environment = createFunctionEnvironment({
        env,
        config,
        secrets: folder.secrets,
        endpoints: aws.endpoints,
        credentialVariables: aws.credentialVariables,
        url: parts.publicPort.url,
        workDir: folder.workDir,
        logFile: folder.logFile,
        hasWebSockets,
        queueUrlPrefix: parts.provisioned.queues.image.url.slice(0, -'image'.length),
        lambdaUrl: parts.lambdaApi.url,
        engines: parts.engines.usableEngines.map(({ id }) => id),
      })
      Object.assign(processEnvironment, environment)
      return environment
    },
  },
  {
    name: 'workerUser',
    start: async ({ env, folder }) => {
      const { workerUser: user, dataDir, workDir, log } = folder
      if (!user) return undefined
      // Restricts files that the servers have created since the start.
      restrictEntries(dataDir)
      assignWorkerUser(dataDir)
      const { PATH = '', PLANS_FILE, TMPDIR = '' } = env
      // Workers get a copy, because the operator's file may only be readable by root.
      if (PLANS_FILE) {
        copyFileSync(PLANS_FILE, getPlansFile(workDir))
        chmodSync(getPlansFile(workDir), 0o644)
      }
      const environment = { PATH, TMPDIR, WORK_DIR: workDir }
      const reason = await findWorkerUserProblem(user, environment, (await getConfinement()).level)
      if (reason === undefined) return user
      log.warn({ reason }, 'workers run as root, because another user cannot run them')
      return undefined
    },
  },
  {
    name: 'zipFunctions',
    start: ({ config, folder: { log }, isolated: isolation, environment, logFd, aws }) =>
      isolation
        ? startIsolatedFunctions({
            isolation,
            environment,
            logFd,
            log,
            idleMs: config.WORKER_IDLE_S * 1000,
          })
        : loadInProcessFunctions(environment, aws.connections),
    stop: ({ zipFunctions }) => zipFunctions.close(),
  },
  {
    name: 'queueWorkers',
    start: ({ config, folder, isolated, environment, logFd, aws, embedded, workerUser }) =>
      openQueueWorkers({
        config,
        environment,
        logFd,
        log: folder.log,
        isolated,
        user: isolated ? undefined : workerUser,
        connection: aws.connections.sqs,
        ...(!isolated &&
          !aws.endpoints.isS3External && {
            exchange: embedded.exchange({
              bucket: config.BUCKET_NAME,
              folder: folder.workDir,
              owner: workerUser?.uid,
            }),
          }),
      }),
  },
  {
    name: 'runtime',
    start: async (parts) => {
      const runtime = await createRuntime(parts)
      parts.queueWorkers.start(runtime.lambda, parts.provisioned.queues)
      return runtime
    },
    stop: ({ queueWorkers, runtime }) =>
      Promise.all([queueWorkers.close(), runtime.asyncInvocations.close()]),
  },
  {
    name: 'gateway',
    start: ({ config, folder: { log }, aws, embedded, runtime: { lambda, webSocketApi } }) => ({
      http: createHttpApi({
        lambda,
        routes: createHttpRoutes(functions),
        log,
        streamedFunctions: config.REQUEST_BODIES === 'streamed' ? apiFunctionNames : [],
      }),
      s3: aws.endpoints.isS3External ? undefined : embedded.handle.S3,
      webSocket: webSocketApi && ((...handshake) => webSocketApi.upgrade(...handshake)),
    }),
    // Requests and sockets end before the parts that serve them.
    stop: ({ publicPort, runtime }) => Promise.all([publicPort.close(), runtime.webSocketApi?.close()]),
  },
  {
    name: 'service',
    start: async ({ folder, aws, environment, publicPort: { url }, runtime }) => {
      // Runs the sweep now, so that work left unfinished by the last run need not wait for the schedule.
      await runtime.lambda.invoke('sweep', {})
      const servers = {
        ...aws.endpoints.urls,
        AWS_ENDPOINT_URL_LAMBDA: environment['AWS_ENDPOINT_URL_LAMBDA'],
      }
      folder.log.info({ url, engines: environment['ENGINES'], servers }, 'service started')
      return undefined
    },
    stop: ({ folder }) => folder.log.info('service stopping'),
  },
]

async function createRuntime(parts: ServiceInputs & ServiceParts): Promise<FunctionRuntime> {
  const { config, isolated, aws, provisioned } = parts
  const { log, reserve } = parts.folder
  const zipFunctions = createZipFunctions(
    functions,
    parts.zipFunctions.handlers,
    provisioned.deadLetterQueues,
    (name) => isolated?.getConcurrency?.(name).reservedConcurrency,
  )
  const lambda = new Lambda({
    functions: [...zipFunctions, ...parts.queueWorkers.functions],
    region: config.AWS_REGION,
    log,
    beforeInvoke: () => reserve.ensureFreeSpace(),
    concurrentExecutions: isolated?.quotas?.concurrentExecutions,
  })
  const asyncInvocations = new AsyncInvocations({
    lambda,
    queue: provisioned.invocations,
    log,
    connection: aws.connections.sqs,
    ...(isolated && { retryDelaysS: isolated.retryDelaysS, deadLetterConnection: isolated.createConnection }),
  })
  if (!hasWebSockets) return { lambda, asyncInvocations }
  const { WebSocketApi } = await import('./gateway/websocket-api.ts')
  const { routeSelectionExpression } = webSocketDeclaration
  const routes = socketRoutes
  return {
    lambda,
    asyncInvocations,
    webSocketApi: new WebSocketApi({ lambda, routes, routeSelectionExpression, stage: 'local', log }),
  }
}

/** Creates a function that invokes functions for rules and schedules. An accepted invocation runs at least once. */
function createInvoker(runtime: Promise<FunctionRuntime>) {
  return async (arn: string, payload: unknown): Promise<void> => {
    const name = arn.slice(arn.lastIndexOf(':') + 1)
    const { lambda, asyncInvocations } = await runtime
    if (!lambda.find(name))
      throw Object.assign(new Error(`Function not found: ${arn}`), { name: 'ResourceNotFoundException' })
    await asyncInvocations.runOrAccept(name, JSON.stringify(payload))
  }
}
