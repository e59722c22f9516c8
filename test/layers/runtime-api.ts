import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface RuntimeError {
  readonly errorType: string
  readonly errorMessage: string
  readonly stackTrace: readonly string[]
}

export type InvocationResult = { readonly response: unknown } | { readonly error: RuntimeError }

interface Invocation {
  readonly event: unknown
  readonly deadlineMs: number
  readonly resolve: (outcome: InvocationResult) => void
}

/** Emulates Lambda's runtime API: sends events to one runtime and receives its responses. */
export async function startRuntimeApi(host = '127.0.0.1') {
  const waitingInvocations: Invocation[] = []
  const runningInvocations = new Map<string, Invocation>()
  const waitingReplies: ServerResponse[] = []
  const initError = Promise.withResolvers<RuntimeError>()
  let ids = 0

  const dispatch = () => {
    while (waitingReplies[0] && waitingInvocations[0]) {
      const reply = waitingReplies.shift()
      const invocation = waitingInvocations.shift()
      if (!reply || !invocation) return
      const id = `request-${ids++}`
      runningInvocations.set(id, invocation)
      reply.writeHead(200, {
        'content-type': 'application/json',
        'lambda-runtime-aws-request-id': id,
        'lambda-runtime-deadline-ms': invocation.deadlineMs,
        'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:eu-central-1:000000000000:function:convert',
        'lambda-runtime-trace-id': `Root=${id}`,
      })
      reply.end(JSON.stringify(invocation.event))
    }
  }

  const server = createServer(async (request, reply) => {
    const path = (request.url ?? '').replace('/2018-06-01/runtime/', '')
    if (path === 'invocation/next') {
      waitingReplies.push(reply)
      request.on('close', () => reply.destroyed && waitingReplies.splice(waitingReplies.indexOf(reply), 1))
      dispatch()
      return
    }
    const body = await json(request)
    const [, id = '', kind] = path.split('/')
    if (path === 'init/error') initError.resolve(body as RuntimeError)
    else
      runningInvocations
        .get(id)
        ?.resolve(kind === 'error' ? { error: body as RuntimeError } : { response: body })
    runningInvocations.delete(id)
    reply.writeHead(202).end('{"status":"OK"}')
  })
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server's address is an AddressInfo

  return {
    address: `${host}:${port}`,
    initError: initError.promise,
    invoke(event: unknown, timeoutS = 60): Promise<InvocationResult> {
      return new Promise((resolve) => {
        waitingInvocations.push({ event, deadlineMs: Date.now() + timeoutS * 1000, resolve })
        dispatch()
      })
    },
    /** Reports the exit of the runtime, so that its current invocation fails. */
    reportExit() {
      const error = { errorType: 'Runtime.ExitError', errorMessage: 'Runtime exited', stackTrace: [] }
      for (const { resolve } of runningInvocations.values()) resolve({ error })
      runningInvocations.clear()
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
