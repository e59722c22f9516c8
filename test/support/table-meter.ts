import { once } from 'node:events'
import { createServer, type IncomingMessage, request as openRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { closeServer } from '../../lib/embedded-aws/listen.ts'

export interface TableCall {
  /** Name of the operation, such as `UpdateItem`. */
  readonly operation: string
  readonly isWrite: boolean
  /** Capacity units of the table and its indexes. */
  readonly units: number
  /** The units by the kind of the partitions, such as `JOB`, and by index. */
  readonly unitsByKind: Readonly<Record<string, number>>
  /** The JSON that was sent. */
  readonly sent: string
}

interface Reply {
  /** Type of an error. */
  readonly __type?: string
  /** The existing item, in an error about a condition that was not met. */
  readonly Item?: object
  readonly ConsumedCapacity?: Capacity | readonly Capacity[]
}
interface Capacity {
  readonly CapacityUnits: number
  readonly Table?: { readonly CapacityUnits: number }
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits: number }>>
}

/**
 * Returns the capacity that a call consumed. A reply about a condition that was not met does not contain the capacity:
 * AWS then charges the units of the existing item, but at least one.
 */
function readConsumption({ ConsumedCapacity = [], __type = '', Item }: Reply): readonly Capacity[] {
  if (!__type.endsWith('ConditionalCheckFailedException')) return [ConsumedCapacity].flat()
  const units = Math.max(1, Math.ceil(JSON.stringify(Item ?? {}).length / 1024))
  return [{ CapacityUnits: units, Table: { CapacityUnits: units } }]
}

/** Returns the units of a call by the kind of the first partition that it names, and by index. */
function groupUnits(sent: string, consumed: readonly Capacity[]): Record<string, number> {
  const kind = /":?pk":\{"S":"(\w+)/.exec(sent)?.[1] ?? 'other'
  const parts = consumed.flatMap(({ Table, GlobalSecondaryIndexes = {} }): [string, number][] => [
    [kind, Table?.CapacityUnits ?? 0],
    ...Object.entries(GlobalSecondaryIndexes).map(([name, one]): [string, number] => [
      name,
      one.CapacityUnits,
    ]),
  ])
  return sumByKind(parts.map(([name, units]) => ({ [name]: units })))
}

/** Whether a write stores an event of a running job. */
export const isProgress = ({ isWrite, sent }: TableCall): boolean =>
  isWrite && sent.includes('"#log":"log"') && !sent.includes('"#endedBy"')

/** Whether a write renews the lease of a task. */
export const isHeartbeat = ({ isWrite, sent }: TableCall): boolean =>
  isWrite &&
  sent.includes('"#leaseUntil":"leaseUntil"') &&
  !sent.includes('"#leaseId":"leaseId","#leaseUntil"')

/** Adds up units by kind. */
export function sumByKind(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const [kind, units] of all.flatMap((unitsByKind) => Object.entries(unitsByKind)))
    if (units > 0) sums[kind] = (sums[kind] ?? 0) + units
  return sums
}

/**
 * A proxy in front of the embedded DynamoDB that asks for the capacity units of each call. The embedded server checks
 * only the format of signatures, so the body of a signed request may change.
 */
export async function openTableMeter(url: string) {
  const calls: TableCall[] = []
  const server = createServer(async (call, response) => {
    const { 'content-length': _, ...headers } = call.headers
    const body = JSON.stringify({ ...JSON.parse(await text(call)), ReturnConsumedCapacity: 'INDEXES' })
    const forwardedRequest = openRequest(new URL(call.url ?? '/', url), { method: 'POST', headers })
    forwardedRequest.on('error', (error) => response.destroy(error)).end(body)
    const [answer] = (await once(forwardedRequest, 'response')) as [IncomingMessage]
    const reply = await text(answer)
    const operation = String(headers['x-amz-target']).replace(/^.*\./, '')
    const consumed = readConsumption(JSON.parse(reply) as Reply)
    const units = consumed.reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0)
    const isWrite = !/^(BatchGet|Get|Query|Scan)/.test(operation)
    calls.push({ operation, isWrite, units, unitsByKind: groupUnits(body, consumed), sent: body })
    response.writeHead(answer.statusCode ?? 502, answer.headers).end(reply)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, calls, close: () => closeServer(server) }
}
