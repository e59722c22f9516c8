import type { Context, SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { lazyAsync } from '../lib/async/lazy-async.ts'
import type { ServiceConnections } from '../lib/aws/connections.ts'
import { Queues } from '../lib/aws/queues.ts'
import { documentClient, Table } from '../lib/aws/table.ts'
import type { Config } from '../lib/config.ts'
import { createDailyKeys, Vault } from '../lib/crypto/sealed.ts'
import { createResultLink } from '../lib/links/result-links.ts'
import { createLog } from '../lib/log.ts'
import { loadLambdaConfig } from '../lib/services/lambda-config.ts'
import { GuardedHttp } from '../lib/transfer/guarded-http.ts'
import { Deliverer, type DelivererServices } from '../lib/webhooks/deliverer.ts'
import { DeliveryMessage } from '../lib/webhooks/delivery.ts'

/** Delivers events to webhooks. */
export function createFunction(connections: ServiceConnections = {}) {
  const open = lazyAsync(async () => {
    const services = openServices(await loadLambdaConfig(), connections)
    return { log: services.log, deliverer: new Deliverer(services) }
  })
  return {
    async handler(
      event: SQSEvent,
      context: Pick<Context, 'getRemainingTimeInMillis'>,
    ): Promise<SQSBatchResponse> {
      const { deliverer, log } = await open()
      const deliverRecord = async (record: SQSRecord): Promise<SQSBatchItemFailure[]> => {
        try {
          await deliverer.deliver(DeliveryMessage.parse(JSON.parse(record.body)), () =>
            context.getRemainingTimeInMillis(),
          )
          return []
        } catch (error) {
          log.error(
            { error, message: record.body },
            'delivery failed unexpectedly; the message will be received again',
          )
          return [{ itemIdentifier: record.messageId }]
        }
      }
      return { batchItemFailures: (await Promise.all(event.Records.map(deliverRecord))).flat() }
    },

    /** Nothing to do: deliveries write no files. */
    runOut(): void {},

    /** Nothing to do: the process waits for running deliveries before it exits. */
    async stop(): Promise<void> {},
  }
}

function openServices(config: Config, connections: ServiceConnections): DelivererServices {
  const { SERVICE_SECRET, OUTGOING_ALLOW: allowed = [] } = config
  if (!SERVICE_SECRET) throw new Error('SERVICE_SECRET is not set')
  const outgoing = Promise.resolve(new GuardedHttp({ allowed }))
  return {
    config,
    log: createLog(config),
    table: new Table(config, documentClient(config)),
    queues: new Queues(config, connections.sqs),
    vault: new Vault(SERVICE_SECRET),
    resultLink: createResultLink(config.PUBLIC_URL ?? '', createDailyKeys(SERVICE_SECRET)),
    guardedHttp: () => outgoing,
  }
}

export const { handler } = createFunction()
