// The AWS quotas that this service can reach; defaults are those of eu-central-1.
// Their names are from the Service Quotas console or from the developer guide of the AWS service.

interface Quota {
  readonly value: number
  readonly source: string
}

const bytesPerMib = 1024 ** 2

/** Quotas that are always enforced, because every client must respect them to work correctly. */
export const quotas = {
  functionRequestBytes: {
    value: 6 * bytesPerMib,
    source: 'Lambda: invocation payload (request), synchronous',
  },
  functionResponseBytes: {
    value: 6_291_556,
    source: 'Lambda: invocation payload (response), synchronous',
  },
  /** AWS's limit is 1 MB; this is slightly below the 1 MiB limit of the queue that holds invocations here. */
  asynchronousRequestBytes: { value: 1_000_000, source: 'Lambda: invocation payload, asynchronous' },
  gatewayTimeoutMs: { value: 30_000, source: 'API Gateway, HTTP API: maximum integration timeout' },
  gatewayHeadBytes: {
    value: 10_240,
    source: 'API Gateway, HTTP API: total combined size of request line and header values',
  },
  gatewayBodyBytes: { value: 10 * bytesPerMib, source: 'API Gateway, HTTP API: payload size' },
  messageBytes: { value: bytesPerMib, source: 'SQS: message size, and total size of a batch' },
  eventEntriesBytes: { value: bytesPerMib, source: 'EventBridge: PutEvents entry size' },
} as const satisfies Readonly<Record<string, Quota>>

/** Quotas that are only enforced if they are passed in, because one machine has other limits. */
export const accountQuotas = {
  concurrentExecutions: {
    value: 10,
    source: 'Lambda: concurrent executions (1,000; a new account starts with 10)',
  },
  functionTimeoutS: { value: 900, source: 'Lambda: function timeout' },
  partitionWriteUnits: {
    value: 1000,
    source: 'DynamoDB: write capacity units per second of a partition key value',
  },
  partitionReadUnits: {
    value: 3000,
    source: 'DynamoDB: read capacity units per second of a partition key value',
  },
  putEventsPerS: {
    value: 2400,
    source: 'EventBridge: PutEvents throttle limit in transactions per second',
  },
} as const satisfies Readonly<Record<string, Quota>>

/**
 * Quotas that are not enforced, because nothing here is fast enough to reach them. They are used to calculate what AWS
 * can handle.
 */
export const serviceQuotas = {
  tableWriteUnits: { value: 40_000, source: 'DynamoDB: table-level write throughput limit, on-demand' },
  tableReadUnits: { value: 40_000, source: 'DynamoDB: table-level read throughput limit, on-demand' },
  eventInvocationsPerS: {
    value: 4500,
    source: 'EventBridge: invocations throttle limit in transactions per second',
  },
  messagesInFlight: { value: 120_000, source: 'SQS: messages per standard queue, in flight' },
} as const satisfies Readonly<Record<string, Quota>>

/** Quotas of one account; a missing quota is not enforced. */
export type AccountQuotas = { readonly [name in keyof typeof accountQuotas]?: number }

/** The quotas of a new AWS account. */
export const newAccount: Required<AccountQuotas> = {
  concurrentExecutions: accountQuotas.concurrentExecutions.value,
  functionTimeoutS: accountQuotas.functionTimeoutS.value,
  partitionWriteUnits: accountQuotas.partitionWriteUnits.value,
  partitionReadUnits: accountQuotas.partitionReadUnits.value,
  putEventsPerS: accountQuotas.putEventsPerS.value,
}
