// Deletes items whose time to live is over: the program takes the setting, but never acts on it.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  paginateListTables,
  paginateScan,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb'
import type { Log } from '../../log.ts'

/** A scan of more at a time would keep other requests waiting: the program answers one after the other. */
const pageItems = 100
/** AWS takes a time to live of longer ago for a mistake and leaves the item. */
const longestAgoS = 5 * 365 * 86_400

export interface SweepOptions {
  readonly client: DynamoDBClient
  readonly now?: Date
  readonly signal?: AbortSignal
}

/** Looks through all tables once and says how many items it deleted. */
export async function deleteExpired({
  client,
  now = new Date(),
  signal = new AbortController().signal,
}: SweepOptions): Promise<number> {
  let deleted = 0
  for await (const { TableNames = [] } of paginateListTables({ client }, {}, { abortSignal: signal }))
    for (const TableName of TableNames)
      deleted += await deleteFrom({ client, now, signal, TableName }).catch(
        // The table was deleted meanwhile, and its items with it.
        unless(ResourceNotFoundException, 0),
      )
  return deleted
}

async function deleteFrom(options: Required<SweepOptions> & { TableName: string }): Promise<number> {
  const { client, now, signal, TableName } = options
  const abort = { abortSignal: signal }
  const { TimeToLiveDescription: setting } = await client.send(
    new DescribeTimeToLiveCommand({ TableName }),
    abort,
  )
  if (setting?.TimeToLiveStatus !== 'ENABLED' || setting.AttributeName === undefined) return 0
  const { Table } = await client.send(new DescribeTableCommand({ TableName }), abort)
  const keys = (Table?.KeySchema ?? []).map(({ AttributeName = '' }) => AttributeName)
  // The attribute may itself be a part of the key.
  const wanted = [...new Set([setting.AttributeName, ...keys])]
  const nowS = Math.floor(now.getTime() / 1000)
  const pages = paginateScan(
    { client, pageSize: pageItems },
    {
      TableName,
      ProjectionExpression: wanted.map((_, at) => `#a${at}`).join(', '),
      // Values of other types than the number asked for are not in any order with it.
      FilterExpression: '#a0 < :now AND #a0 > :oldest',
      ExpressionAttributeNames: Object.fromEntries(wanted.map((name, at) => [`#a${at}`, name])),
      ExpressionAttributeValues: { ':now': { N: `${nowS}` }, ':oldest': { N: `${nowS - longestAgoS}` } },
    },
    abort,
  )
  let deleted = 0
  let startedMs = performance.now()
  for await (const { Items = [] } of pages) {
    for (const item of Items) {
      const seen: AttributeValue | undefined = item[setting.AttributeName]
      if (seen === undefined) continue
      const Key = Object.fromEntries(Object.entries(item).filter(([name]) => keys.includes(name)))
      // An item that was given more time since stays.
      const condition = {
        ConditionExpression: '#ttl = :seen',
        ExpressionAttributeNames: { '#ttl': setting.AttributeName },
        ExpressionAttributeValues: { ':seen': seen },
      }
      deleted += await client
        .send(new DeleteItemCommand({ TableName, Key, ...condition }), abort)
        .then(() => 1, unless(ConditionalCheckFailedException, 0))
    }
    // Rests as long as it worked, so that half of the program is always there for others.
    await sleep(performance.now() - startedMs, undefined, { signal })
    startedMs = performance.now()
  }
  return deleted
}

function unless<T>(expected: new (...args: never[]) => Error, value: T) {
  return (error: unknown): T => {
    if (error instanceof expected) return value
    throw error
  }
}

/** Sweeps again and again until it is closed. */
export function sweepRepeatedly({
  client,
  everyMs,
  log,
}: {
  readonly client: DynamoDBClient
  readonly everyMs: number
  readonly log: Log
}): { close(): Promise<void> } {
  const closing = new AbortController()
  const { signal } = closing
  const run = async () => {
    for (;;) {
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      try {
        const deleted = await deleteExpired({ client, signal })
        if (deleted > 0) log.debug({ deleted }, 'expired items were deleted')
      } catch (error) {
        // It is just being restarted, or the service ends; the next round finds what this one left.
        if (!signal.aborted) log.warn({ error }, 'expired items could not be deleted')
      }
    }
  }
  const swept = run()
  return {
    close: async () => {
      closing.abort()
      await swept
    },
  }
}
