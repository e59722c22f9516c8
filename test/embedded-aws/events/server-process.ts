// A server that tests can kill. Arguments: its data file, and a file to which deliveries are appended.
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { openEvents } from '../../../lib/embedded-aws/events/server.ts'
import { credentials, region } from './start-events.ts'

const [file = '', deliveredFile = ''] = process.argv.slice(2)

const server = await openEvents({
  file,
  credentials: [credentials],
  region,
  targets: {
    async sqs(_, body) {
      if (Math.random() < 0.05) throw new Error('a target that fails now and then')
      const { id }: { id: string } = JSON.parse(body)
      appendFileSync(deliveredFile, `${id}\n`)
      process.send?.({ delivered: id })
    },
    async lambda() {},
  },
})
const http = createServer((request, response) => server.handle(request, response))
http.listen(0, '127.0.0.1', () => process.send?.({ address: http.address() }))
