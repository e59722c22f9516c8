// Deletes items whose time to live is over: the program takes the setting, but never acts on it.
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

/** A scan of more at a time would keep other requests waiting: the program answers one after the other. */
const pageItems = 100
/** AWS takes a time to live of longer ago for a mistake and leaves the item. */
const maxExpiredAgeS = 5 * 365 * 86_400
/**
 * The part of the time that may go into pages on which nothing has expired, so that what is stored costs nothing while
 * nothing happens. A pass over 400,000 items takes some hours then; AWS promises no more than a few days.
 */
const maxIdleScanShare = 1 / 1000

/** How far a pass over a table has come. */
interface Pass {
  readonly keys: readonly string[]
  readonly after: Key | undefined
}

type Key = Record<string, AttributeValue>

export interface SweepOptions {
  readonly client: DynamoDBClient
  readonly now?: Date
  readonly signal?: AbortSignal
  /** Passes under way, by table: where this sweep goes on, and leaves the next one to go on. */
  readonly passes?: Map<string, Pass>
  /** How long to look at items of a table that have not expired; to the end of it when left out. */
  readonly maxIdleScanMs?: number
}

/** Looks through all tables, each from where its pass has come to, and says how many items it deleted. */
export async function deleteExpiredItems({
  client,
  now = new Date(),
  signal = new AbortController().signal,
  passes = new Map(),
  maxIdleScanMs = Number.POSITIVE_INFINITY,
}: SweepOptions): Promise<number> {
  let deleted = 0
  for await (const { TableNames = [] } of paginateListTables({ client }, {}, { abortSignal: signal }))
    for (const TableName of TableNames)
      deleted += await sweepTable({ client, now, signal, passes, maxIdleScanMs, TableName }).catch(
        (error: unknown) => {
          // The table is another than the pass began with, or none.
          if (error instanceof DynamoDBServiceException) passes.delete(TableName)
          // It was deleted meanwhile, and its items with it.
          return ignoreError(ResourceNotFoundException, 0)(error)
        },
      )
  return deleted
}

type TableSweep = Required<SweepOptions> & { readonly TableName: string }

async function sweepTable(sweep: TableSweep): Promise<number> {
  const { client, signal, passes, maxIdleScanMs, TableName } = sweep
  const { TimeToLiveDescription: setting } = await client.send(new DescribeTimeToLiveCommand({ TableName }), {
    abortSignal: signal,
  })
  if (setting?.TimeToLiveStatus !== 'ENABLED' || setting.AttributeName === undefined) return 0
  let pass: Pass | undefined = passes.get(TableName) ?? { keys: await keyNames(sweep), after: undefined }
  let deleted = 0
  for (let idleScanMs = 0; pass && idleScanMs < maxIdleScanMs; ) {
    const startedMs = performance.now()
    const page = await deleteFromPage(sweep, setting.AttributeName, pass)
    const workedMs = performance.now() - startedMs
    pass = page.after && { ...pass, after: page.after }
    if (pass) passes.set(TableName, pass)
    else passes.delete(TableName)
    if (page.deleted === 0) idleScanMs += workedMs
    deleted += page.deleted
    // Rests as long as it worked, so that half of the program is always there for others.
    if (pass) await sleep(workedMs, undefined, { signal })
  }
  return deleted
}

/** Once a pass: the program counts all items to describe a table. */
async function keyNames({ client, signal, TableName }: TableSweep): Promise<string[]> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }), { abortSignal: signal })
  return (Table?.KeySchema ?? []).map(({ AttributeName = '' }) => AttributeName)
}

async function deleteFromPage(
  { client, now, signal, TableName }: TableSweep,
  ttl: string,
  { keys, after }: Pass,
): Promise<{ deleted: number; after: Key | undefined }> {
  const abort = { abortSignal: signal }
  // The attribute may itself be a part of the key.
  const attributes = [...new Set([ttl, ...keys])]
  const nowS = Math.floor(now.getTime() / 1000)
  const { Items = [], LastEvaluatedKey } = await client.send(
    new ScanCommand({
      TableName,
      Limit: pageItems,
      ExclusiveStartKey: after,
      ProjectionExpression: attributes.map((_, at) => `#a${at}`).join(', '),
      // Values of other types than the number asked for are not in any order with it.
      FilterExpression: '#a0 < :now AND #a0 > :oldest',
      ExpressionAttributeNames: Object.fromEntries(attributes.map((name, at) => [`#a${at}`, name])),
      ExpressionAttributeValues: { ':now': { N: `${nowS}` }, ':oldest': { N: `${nowS - maxExpiredAgeS}` } },
    }),
    abort,
  )
  let deleted = 0
  for (const item of Items) {
    const seen = item[ttl]
    if (seen === undefined) continue
    const Key = Object.fromEntries(Object.entries(item).filter(([name]) => keys.includes(name)))
    // An item that was given more time since stays.
    const condition = {
      ConditionExpression: '#ttl = :seen',
      ExpressionAttributeNames: { '#ttl': ttl },
      ExpressionAttributeValues: { ':seen': seen },
    }
    deleted += await client
      .send(new DeleteItemCommand({ TableName, Key, ...condition }), abort)
      .then(() => 1, ignoreError(ConditionalCheckFailedException, 0))
  }
  return { deleted, after: LastEvaluatedKey }
}

function ignoreError<T>(expected: new (...args: never[]) => Error, value: T) {
  return (error: unknown): T => {
    if (error instanceof expected) return value
    throw error
  }
}

/** Sweeps again and again until it is closed, a little at a time: what it costs does not grow with what is stored. */
export function startTtlSweeper({
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
  const passes = new Map<string, Pass>()
  const run = async () => {
    for (;;) {
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      try {
        const deleted = await deleteExpiredItems({
          client,
          signal,
          passes,
          maxIdleScanMs: everyMs * maxIdleScanShare,
        })
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
