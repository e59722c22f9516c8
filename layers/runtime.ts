/**
 * The entry point of the container images: runs a handler with Lambda's runtime API. It replaces AWS's runtime
 * interface client, whose native code needs a compiler in the image.
 * https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type { Context } from 'aws-lambda'

type Handler = (event: unknown, context: Context) => Promise<unknown>

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sets no timeout: `next` responds when there is an invocation, and between invocations the process is frozen. */
function call(method: 'GET' | 'POST', path: string, body?: unknown, headers = {}): Promise<Reply> {
  const url = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/${path}`
  return new Promise((finish, fail) => {
    const outgoing = request(url, { method, agent, headers }, (incoming) => {
      text(incoming).then(
        (answer) => finish({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: answer }),
        fail,
      )
    })
    outgoing.on('error', fail)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

async function post(path: string, body: unknown, headers = {}): Promise<void> {
  const reply = await call('POST', path, body, { 'content-type': 'application/json', ...headers })
  if (reply.status !== 202)
    console.error(`The runtime API responded with ${reply.status} to ${path}: ${reply.body}`)
}

function postError(path: string, error: unknown): Promise<void> {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  const stackTrace = stack.split('\n').slice(1)
  const body = { errorType: name, errorMessage: message, stackTrace }
  return post(path, body, { 'lambda-runtime-function-error-type': name })
}

/** Loads a handler: `functions/convert.handler` is the export `handler` of functions/convert.mjs. */
async function loadHandler(name: string): Promise<Handler> {
  const [, file, exported] = /^(.+)\.([^./]+)$/.exec(name) ?? []
  if (!file || !exported)
    throw new Error(`Expected a handler like "functions/convert.handler", got "${name}".`)
  const root = process.env.LAMBDA_TASK_ROOT ?? process.cwd()
  const module: Record<string, unknown> = await import(pathToFileURL(resolve(root, `${file}.mjs`)).href)
  const handler = module[exported]
  if (typeof handler !== 'function') throw new Error(`${file}.mjs exports no function "${exported}".`)
  return handler as Handler // its parameters and result cannot be checked at run time
}

function createContext(headers: IncomingHttpHeaders): Context {
  const readHeader = (name: string) => String(headers[`lambda-runtime-${name}`] ?? '')
  const readSetting = (name: string) => process.env[`AWS_LAMBDA_${name}`] ?? ''
  const deadlineMs = Number(readHeader('deadline-ms'))
  // The X-Ray client of the SDK reads the trace ID from this variable.
  if (readHeader('trace-id')) process.env._X_AMZN_TRACE_ID = readHeader('trace-id')
  return {
    awsRequestId: readHeader('aws-request-id'),
    invokedFunctionArn: readHeader('invoked-function-arn'),
    functionName: readSetting('FUNCTION_NAME'),
    functionVersion: readSetting('FUNCTION_VERSION'),
    memoryLimitInMB: readSetting('FUNCTION_MEMORY_SIZE'),
    logGroupName: readSetting('LOG_GROUP_NAME'),
    logStreamName: readSetting('LOG_STREAM_NAME'),
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
    callbackWaitsForEmptyEventLoop: false,
    done: rejectCallbacks,
    fail: rejectCallbacks,
    succeed: rejectCallbacks,
  }
}

function rejectCallbacks(): never {
  throw new Error(
    'Expected the handler to return a promise: context callbacks are not supported since Node 24.',
  )
}

async function serve(handler: Handler): Promise<never> {
  for (;;) {
    const { headers, body } = await call('GET', 'invocation/next')
    const context = createContext(headers)
    const path = `invocation/${context.awsRequestId}`
    try {
      await post(`${path}/response`, (await handler(JSON.parse(body), context)) ?? null)
    } catch (error) {
      console.error(error)
      await postError(`${path}/error`, error)
    }
  }
}

const handler = await loadHandler(process.argv[2] ?? process.env._HANDLER ?? '').catch(async (error) => {
  console.error(error)
  await postError('init/error', error)
  process.exit(1)
})
await serve(handler)
