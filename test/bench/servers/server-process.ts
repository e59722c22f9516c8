// One embedded server in a separate process, to measure its memory: node server-process.ts <S3 | SQS | EVENTBRIDGE |
// DYNAMODB> <folder>. Sends its URL and each delivered event to the parent process.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import pino from 'pino'
import { openDynamoDb } from '../../../lib/embedded-aws/dynamodb/server.ts'
import { openEvents } from '../../../lib/embedded-aws/events/server.ts'
import { listen } from '../../../lib/embedded-aws/listen.ts'
import { openS3Server } from '../../../lib/embedded-aws/s3/server.ts'
import { openSqs } from '../../../lib/embedded-aws/sqs/server.ts'

export const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }
export const region = 'eu-central-1'

const log = pino({ level: 'silent' })
const commonConfig = { credentials: [credentials], region }
const sendToParent = (message: object) => process.send?.(message)

async function serve(server: { handle(request: IncomingMessage, response: ServerResponse): void }) {
  const http = createServer({ requestTimeout: 0 }, server.handle.bind(server))
  return `http://127.0.0.1:${await listen(http, 0)}`
}

const openers: Readonly<Record<string, (dir: string) => Promise<string>>> = {
  S3: async (dir) => serve(await openS3Server({ dir, ...commonConfig })),
  SQS: async (dir) => serve(await openSqs({ file: join(dir, 'sqs.sqlite'), log, ...commonConfig })),
  EVENTBRIDGE: async (dir) => {
    const targets = { sqs: async () => void sendToParent({ delivered: 1 }), lambda: async () => undefined }
    return serve(await openEvents({ file: join(dir, 'events.sqlite'), targets, ...commonConfig }))
  },
  DYNAMODB: async (dir) => (await openDynamoDb({ file: join(dir, 'd.sqlite'), port: 0, log })).url,
}

if (import.meta.main) {
  const [, , service = '', dir = ''] = process.argv
  const url = await openers[service]?.(dir)
  if (url === undefined) throw new Error(`Expected a service, got "${service}".`)
  sendToParent({ url })
}
