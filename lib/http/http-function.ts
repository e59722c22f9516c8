import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import { lazyAsync } from '../async/lazy-async.ts'
import { requestTimeouts } from '../aws/timeouts.ts'
import { createLambdaServices } from '../services/lambda-services.ts'
import { createApp } from './app.ts'
import type { AnyContract, HttpEvent } from './contract.ts'

export type ApiHandler = (event: HttpEvent, context: Context) => Promise<APIGatewayProxyStructuredResultV2>

/** Creates the Lambda handler for some endpoints of the HTTP API. */
export function createHttpFunction(
  contracts: readonly AnyContract[],
  pages: Parameters<typeof createApp>[2] = {},
): ApiHandler {
  const app = lazyAsync(async () => {
    const createdApp = createApp(contracts, await createLambdaServices({ timeouts: requestTimeouts }), pages)
    // Middy's type allows more events and results than this handler's type.
    return createdApp as unknown as ApiHandler
  })
  return async (event, context) => (await app())(event, context)
}
