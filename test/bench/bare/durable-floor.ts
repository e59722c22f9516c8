// The minimum work of a server with durable files: node durable-floor.ts <folder>. It writes the received image to
// disk, converts it to WebP in this process, writes the result to disk and responds, without forms, jobs, queues and
// records.
import { open } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import sharp from 'sharp'
import { listen } from '../../../lib/embedded-aws/listen.ts'

const [, , folder = ''] = process.argv
let count = 0

async function convert(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = join(folder, String(count++))
  const chunks: Buffer[] = []
  const input = await open(`${name}.png`, 'w')
  for await (const chunk of request as AsyncIterable<Buffer>) {
    await input.write(chunk)
    chunks.push(chunk)
  }
  await input.sync()
  await input.close()
  const webp = await sharp(Buffer.concat(chunks)).webp().toBuffer()
  const output = await open(`${name}.webp`, 'w')
  await output.write(webp)
  await output.sync()
  await output.close()
  response.setHeader('content-type', 'image/webp').end(webp)
}

const server = createServer((request, response) => {
  convert(request, response).catch((error: unknown) => response.destroy(error as Error)) // whatever was thrown
})
process.send?.({ url: `http://127.0.0.1:${await listen(server, 0)}` })
process.on('disconnect', () => process.exit(0))
