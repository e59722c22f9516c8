// Receives webhooks and verifies their signatures: WEBHOOK_SECRET=whsec_… node webhook-receiver.mjs
import { createServer } from 'node:http'
import { InvalidSignature, verifyWebhook } from '@mutabor/client'

const secret = process.env.WEBHOOK_SECRET
const seen = new Set()

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    // The raw body is needed, because a body that was parsed and serialized again no longer matches the signature.
    const event = await verifyWebhook(Buffer.concat(chunks), request.headers, secret)
    // Events are delivered at least once; repeated deliveries have the same `id`.
    if (!seen.has(event.id)) {
      seen.add(event.id)
      console.log(event.event, event.job?.id ?? event.file?.jobId ?? '')
    }
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof InvalidSignature)) throw error
    response.writeHead(401).end(error.message)
  }
})
server.listen(Number(process.env.PORT ?? 9000), () => console.log(`listening on ${server.address().port}`))
