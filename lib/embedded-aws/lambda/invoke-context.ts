import { InvokeStore, InvokeStoreBase } from '@aws/lambda-invoke-store'

// Keeps the trace header of each invocation separate, because a process runs several invocations at a time.
const invokeStore = await InvokeStore.getInstanceAsync(true)

/**
 * Runs a handler so that the AWS SDK sends the trace header of the invocation with its requests, as in Lambda's Node
 * runtime. The SDK only does so if AWS_LAMBDA_FUNCTION_NAME is set.
 */
export const runInContext = <T>(traceHeader: string, handler: () => Promise<T>): Promise<T> =>
  invokeStore.run({ [InvokeStoreBase.PROTECTED_KEYS.X_RAY_TRACE_ID]: traceHeader }, handler)
