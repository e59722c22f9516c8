// Runs the server in a separate process that tests can kill: node server-process.ts <file>. Prints its URL.
import pino from 'pino'
import { openDynamoDb } from '../../../lib/embedded-aws/dynamodb/server.ts'

const [, , file = ''] = process.argv
const { url } = await openDynamoDb({ file, port: 0, log: pino({ level: 'silent' }) })
process.stdout.write(`${url}\n`)
