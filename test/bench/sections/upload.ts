import { request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readResidentBytes } from '../../support/processes.ts'
import { startService, type TestService } from '../../support/service.ts'
import type { Section } from '../section.ts'

const totalBytes = 2 * 1024 ** 3
const chunk = Buffer.alloc(1024 * 1024, 'mutabor ')

/**
 * Yields a form with a fake video of 2 GiB. It only tests streaming: the service rejects the video once it is complete.
 */
function* createForm(boundary: string): Generator<Buffer> {
  yield Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="big.mp4"\r\n\r\n`,
  )
  for (let sentBytes = 0; sentBytes < totalBytes; sentBytes += chunk.length) yield chunk
  const field = `\r\n--${boundary}\r\nContent-Disposition: form-data; name="targetFormat"\r\n\r\nwebm\r\n--${boundary}--\r\n`
  yield Buffer.from(field)
}

/** Uploads a form of 2 GiB and returns a line with the memory of the gateway and the speed. */
async function measureUploadMemory(service: TestService): Promise<string> {
  const bytesBefore = readResidentBytes(service.pid)
  let maxBytes = bytesBefore
  const watch = setInterval(() => {
    maxBytes = Math.max(maxBytes, readResidentBytes(service.pid))
  }, 100)
  const start = performance.now()
  const status = await send(service)
  const seconds = (performance.now() - start) / 1000
  clearInterval(watch)
  const mib = (bytes: number) => Math.round(bytes / 1024 / 1024)
  return `2 GiB form upload: ${mib(bytesBefore)} MiB resident before, ${mib(maxBytes)} MiB at most, ${Math.round(totalBytes / 1024 / 1024 / seconds)} MiB/s (answer ${status})`
}

function send(service: TestService): Promise<number> {
  const boundary = 'mutabor-bench'
  return new Promise((resolve, reject) => {
    const call = request(`${service.url}/v1/convert`, {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    })
    call.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    call.on('error', reject)
    pipeline(Readable.from(createForm(boundary)), call).catch(reject)
  })
}

export const upload: Section = {
  name: 'upload',
  about: 'memory of the gateway during a form upload of 2 GB',
  async run({ report }) {
    const service = await startService()
    try {
      report.print(`\n${await measureUploadMemory(service)}`)
    } finally {
      await service.stop()
    }
  },
}
