import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Authorize } from '../../embedded-aws/authorize.ts'
import type { AsyncInvocations } from '../../embedded-aws/lambda/async-invocations.ts'
import { lambdaPath, serveLambda } from '../../embedded-aws/lambda/invoke-endpoint.ts'
import type { Lambda } from '../../embedded-aws/lambda/runtime.ts'
import { closeServer, listen } from '../../embedded-aws/listen.ts'
import { sendApiError } from '../../embedded-aws/signed-api.ts'
import type { AwsCredentials } from '../../embedded-aws/sigv4.ts'
import type { Log } from '../../log.ts'
import { isConnectionsRequest, serveConnections } from './gateway/connections-api.ts'
import type { WebSocketApi } from './gateway/websocket-api.ts'

export interface LambdaAndSocketsApiParts {
  readonly lambda: Lambda
  readonly asyncInvocations: Pick<AsyncInvocations, 'accept'>
  readonly webSocketApi?: WebSocketApi | undefined
}

export interface LambdaAndSocketsApi {
  readonly url: string
  close(): Promise<void>
}

/**
 * Opens the API that functions call with the AWS SDK in addition to the embedded servers: Lambda's Invoke and the
 * @connections commands. Its URL is in the environment of the functions, so this API starts before its parts, and
 * requests wait for them.
 */
export async function openLambdaAndSocketsApi(
  parts: Promise<LambdaAndSocketsApiParts> | LambdaAndSocketsApiParts,
  {
    credentials,
    authorize,
    log,
  }: {
    readonly credentials: readonly AwsCredentials[]
    readonly authorize?: Authorize | undefined
    readonly log: Log
  },
): Promise<LambdaAndSocketsApi> {
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { lambda, asyncInvocations, webSocketApi } = await parts
    if (request.url?.startsWith(lambdaPath))
      return serveLambda({ lambda, asyncInvocations, credentials }, request, response)
    if (webSocketApi && isConnectionsRequest(request))
      return serveConnections(
        { webSocketApi, region: lambda.region, credentials, authorize },
        request,
        response,
      )
    const message = 'This server supports only Invoke and the @connections commands.'
    sendApiError(response, 404, 'UnknownOperationException', { message })
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    respond(request, response).catch((error: unknown) => {
      log.error({ error }, 'a Lambda or @connections request failed')
      const message = 'The service failed to carry out the request. Try again.'
      if (response.headersSent) response.destroy()
      else sendApiError(response, 500, 'ServiceException', { Type: 'Service', message })
    })
  })
  return { url: `http://127.0.0.1:${await listen(server, 0)}`, close: () => closeServer(server) }
}
