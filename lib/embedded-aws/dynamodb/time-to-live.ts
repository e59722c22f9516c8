// Deletes items whose time to live has expired: the embedded database accepts the setting, but deletes nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  DynamoDBServiceException,
  paginateListTables,
  ResourceNotFoundException,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import type { Log } from '../../log.ts'

/** Larger pages would delay other requests, because the database processes requests one after another. */
const pageItems = 100
/** AWS considers an older time to live a mistake and keeps the item. */
const maxExpiredAgeS = 5 * 365 * 86_400
/**
 * Maximum share of the time that is spent on pages without expired items. It is so small that stored data causes almost
 * no load while the service is idle. A pass over 400,000 items then takes some hours; AWS only promises a few days.
 */
const maxIdleScanShare = 1 / 1000

/** Progress of a pass over a table: the table's key attributes, and the item after which the pass continues. */
interface SweepPass {
  readonly keys: readonly string[]
  readonly after: Key | undefined
}

type Key = Record<string, AttributeValue>

export interface SweepOptions {
  readonly client: DynamoDBClient
  readonly now?: Date
  readonly signal?: AbortSignal
  /** Unfinished passes by table. The sweep continues these passes, and updates the map for the next sweep. */
  readonly passes?: Map<string, SweepPass>
  /** How long to scan pages without expired items in each table; if omitted, until the end of the table. */
  readonly maxIdleScanMs?: number
}

/** Continues the passes over all tables. @returns how many items it deleted */
export async function deleteExpiredItems({
  client,
  now = new Date(),
  signal = new AbortController().signal,
  passes = new Map(),
  maxIdleScanMs = Number.POSITIVE_INFINITY,
}: SweepOptions): Promise<number> {
  let deletedCount = 0
  for await (const { TableNames = [] } of paginateListTables({ client }, {}, { abortSignal: signal }))
    for (const TableName of TableNames)
      deletedCount += await sweepTable({ client, now, signal, passes, maxIdleScanMs, TableName }).catch(
        (error: unknown) => {
          // The table was replaced or deleted since the pass started.
          if (error instanceof DynamoDBServiceException) passes.delete(TableName)
          // The table was deleted during the sweep, with all its items.
          return ignoreError(ResourceNotFoundException, 0)(error)
        },
      )
  return deletedCount
}

type TableSweep = Required<SweepOptions> & { readonly TableName: string }

async function sweepTable(sweep: TableSweep): Promise<number> {
  const { client, signal, passes, maxIdleScanMs, TableName } = sweep
  const { TimeToLiveDescription: setting } = await client.send(new DescribeTimeToLiveCommand({ TableName }), {
    abortSignal: signal,
  })
  if (setting?.TimeToLiveStatus !== 'ENABLED' || setting.AttributeName === undefined) return 0
  let pass: SweepPass | undefined = passes.get(TableName) ?? {
    keys: await readKeyNames(sweep),
    after: undefined,
  }
  let deletedCount = 0
  for (let idleScanMs = 0; pass && idleScanMs < maxIdleScanMs; ) {
    const startedAtMs = performance.now()
    const page = await deleteFromPage(sweep, setting.AttributeName, pass)
    const workedMs = performance.now() - startedAtMs
    pass = page.after && { ...pass, after: page.after }
    if (pass) passes.set(TableName, pass)
    else passes.delete(TableName)
    if (page.deleted === 0) idleScanMs += workedMs
    deletedCount += page.deleted
    // Pauses as long as the page took, so that other requests get half of the database's time.
    if (pass) await sleep(workedMs, undefined, { signal })
  }
  return deletedCount
}

/**
 * Returns the names of the key attributes. Called only once per pass, because the database counts all items to describe
 * a table.
 */
async function readKeyNames({ client, signal, TableName }: TableSweep): Promise<string[]> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }), { abortSignal: signal })
  return (Table?.KeySchema ?? []).map(({ AttributeName = '' }) => AttributeName)
}

async function deleteFromPage(
  { client, now, signal, TableName }: TableSweep,
  ttl: string,
  { keys, after }: SweepPass,
): Promise<{ deleted: number; after: Key | undefined }> {
  const abort = { abortSignal: signal }
  // The TTL attribute may be part of the key.
  const attributes = [...new Set([ttl, ...keys])]
  const nowS = Math.floor(now.getTime() / 1000)
  const { Items = [], LastEvaluatedKey } = await client.send(
    new ScanCommand({
      TableName,
      Limit: pageItems,
      ExclusiveStartKey: after,
      ProjectionExpression: attributes.map((_, at) => `#a${at}`).join(', '),
      // DynamoDB never compares other types with numbers, so items whose value is no number are skipped.
      FilterExpression: '#a0 < :now AND #a0 > :oldest',
      ExpressionAttributeNames: Object.fromEntries(attributes.map((name, at) => [`#a${at}`, name])),
      ExpressionAttributeValues: { ':now': { N: `${nowS}` }, ':oldest': { N: `${nowS - maxExpiredAgeS}` } },
    }),
    abort,
  )
  let deletedCount = 0
  for (const item of Items) {
    const expiryValue = item[ttl]
    if (expiryValue === undefined) continue
    const Key = Object.fromEntries(Object.entries(item).filter(([name]) => keys.includes(name)))
    // An item whose expiry was extended since the scan is kept.
    const condition = {
      ConditionExpression: '#ttl = :seen',
      ExpressionAttributeNames: { '#ttl': ttl },
      ExpressionAttributeValues: { ':seen': expiryValue },
    }
    deletedCount += await client
      .send(new DeleteItemCommand({ TableName, Key, ...condition }), abort)
      .then(() => 1, ignoreError(ConditionalCheckFailedException, 0))
  }
  return { deleted: deletedCount, after: LastEvaluatedKey }
}

function ignoreError<T>(expected: new (...args: never[]) => Error, value: T) {
  return (error: unknown): T => {
    if (error instanceof expected) return value
    throw error
  }
}

/** Sweeps the tables at intervals, a little each time, so that the cost does not grow with the stored data. */
export function startTtlSweeper({
  client,
  everyMs,
  log,
}: {
  readonly client: DynamoDBClient
  readonly everyMs: number
  readonly log: Log
}): { close(): Promise<void> } {
  const closeController = new AbortController()
  const { signal } = closeController
  const passes = new Map<string, SweepPass>()
  const run = async () => {
    for (;;) {
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      try {
        const deletedCount = await deleteExpiredItems({
          client,
          signal,
          passes,
          maxIdleScanMs: everyMs * maxIdleScanShare,
        })
        if (deletedCount > 0) log.debug({ deleted: deletedCount }, 'expired items were deleted')
      } catch (error) {
        // The database is restarting, or the service is stopping; the next round continues.
        if (!signal.aborted) log.warn({ error }, 'expired items could not be deleted')
      }
    }
  }
  const sweepPromise = run()
  return {
    close: async () => {
      closeController.abort()
      await sweepPromise
    },
  }
}
