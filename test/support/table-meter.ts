import { once } from 'node:events'
import { createServer, type IncomingMessage, request as openRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { closeServer } from '../../lib/embedded-aws/listen.ts'

export interface TableCall {
  /** Such as `UpdateItem`. */
  readonly operation: string
  readonly isWrite: boolean
  /** Capacity units of the table and its indexes. */
  readonly units: number
  /** The JSON that was sent. */
  readonly sent: string
}

interface Reply {
  readonly ConsumedCapacity?: Capacity | readonly Capacity[]
}
interface Capacity {
  readonly CapacityUnits: number
}

/**
 * A proxy in front of the embedded DynamoDB that asks for the capacity units of each call. The embedded server checks
 * only the format of signatures, so their body may change.
 */
export async function openTableMeter(url: string) {
  const calls: TableCall[] = []
  const server = createServer(async (call, response) => {
    const { 'content-length': _, ...headers } = call.headers
    const body = JSON.stringify({ ...JSON.parse(await text(call)), ReturnConsumedCapacity: 'INDEXES' })
    const forwarded = openRequest(new URL(call.url ?? '/', url), { method: 'POST', headers })
    forwarded.on('error', (error) => response.destroy(error)).end(body)
    const [answer] = (await once(forwarded, 'response')) as [IncomingMessage]
    const reply = await text(answer)
    const operation = String(headers['x-amz-target']).replace(/^.*\./, '')
    const { ConsumedCapacity = [] } = JSON.parse(reply) as Reply
    const units = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0)
    calls.push({ operation, isWrite: !/^(BatchGet|Get|Query|Scan)/.test(operation), units, sent: body })
    response.writeHead(answer.statusCode ?? 502, answer.headers).end(reply)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, calls, close: () => closeServer(server) }
}
