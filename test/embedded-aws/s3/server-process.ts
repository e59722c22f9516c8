// Runs the server in a separate process that tests can kill: node server-process.ts <folder> [port]. Prints its port.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openS3Server } from '../../../lib/embedded-aws/s3/server.ts'
import { region, s3Credentials } from './credentials.ts'

const [, , dir = '', port = '0'] = process.argv
const s3 = await openS3Server({ dir, credentials: [s3Credentials], region })
const server = createServer(s3.handle.bind(s3)).on('checkContinue', s3.handle.bind(s3))
server.requestTimeout = 0
server.listen(Number(port), '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
