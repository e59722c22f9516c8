// Runs the server in a separate process that tests can kill. Prints its port.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openSqs } from '../../../lib/embedded-aws/sqs/server.ts'
import { credentials, region } from './start-sqs.ts'

const [, , file = ''] = process.argv
const sqs = await openSqs({ file, credentials: [credentials], region })
const server = createServer((request, response) => sqs.handle(request, response))
server.listen(0, '127.0.0.1', () => {
  // A TCP server's address is an AddressInfo.
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
