import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { lazyAsync } from '../lib/async/lazy-async.ts'
import type { ServiceConnections } from '../lib/aws/connections.ts'
import { Queues } from '../lib/aws/queues.ts'
import { createDocumentClient, Table } from '../lib/aws/table.ts'
import type { Config } from '../lib/config.ts'
import { openDailyKeys, openVault } from '../lib/crypto/derived-keys.ts'
import { createResultLink } from '../lib/links/result-links.ts'
import { createLog } from '../lib/log.ts'
import { loadLambdaConfig } from '../lib/services/lambda-config.ts'
import { handleBatch } from '../lib/services/message-batch.ts'
import type { QueueFunction } from '../lib/services/queue-function.ts'
import { GuardedHttp } from '../lib/transfer/guarded-http.ts'
import { Deliverer, type DelivererServices } from '../lib/webhooks/deliverer.ts'
import { DeliveryMessage } from '../lib/webhooks/delivery.ts'

/** Delivers events to webhooks. */
export function createFunction(connections: ServiceConnections = {}): QueueFunction {
  const openDeliverer = lazyAsync(async () => {
    const services = openServices(await loadLambdaConfig(), connections)
    return { log: services.log, deliverer: new Deliverer(services) }
  })
  return {
    async handler(
      event: SQSEvent,
      context: Pick<Context, 'getRemainingTimeInMillis'>,
    ): Promise<SQSBatchResponse> {
      const { deliverer, log } = await openDeliverer()
      return handleBatch(event, log, async ({ body }) => {
        try {
          const message = DeliveryMessage.parse(JSON.parse(body))
          await deliverer.deliver(message, () => context.getRemainingTimeInMillis())
          return true
        } catch (error) {
          log.error(
            { error, message: body },
            'delivery failed unexpectedly; the message will be received again',
          )
          return false
        }
      })
    },

    /** Nothing to do: deliveries write no files. */
    reportFullDisk(): void {},

    /** Nothing to do: the process waits for running deliveries before it exits. */
    async stop(): Promise<void> {},
  }
}

function openServices(config: Config, connections: ServiceConnections): DelivererServices {
  const { OUTGOING_ALLOW: allowedNetworks = [] } = config
  const outgoing = Promise.resolve(new GuardedHttp({ allowedNetworks }))
  return {
    config,
    log: createLog(config),
    table: new Table(config, createDocumentClient(config)),
    queues: new Queues(config, connections.sqs),
    vault: openVault(config),
    resultLink: createResultLink(config.PUBLIC_URL ?? '', openDailyKeys(config)),
    guardedHttp: () => outgoing,
  }
}

export const { handler } = createFunction()
