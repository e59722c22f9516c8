// Records the examples of the OpenAPI document: `npm run examples` runs each operation on a separate service and saves
// requests and replies.

import { writeFile } from 'node:fs/promises'
import { api } from '../functions/routes/index.ts'
import { writeTypes } from '../lib/client/make-types.ts'
import { operationId } from '../lib/http/openapi/openapi.ts'
import type { RecordedExample } from '../lib/http/openapi/recorded-example.ts'
import { defined } from '../lib/validation/defined.ts'
import { recordAuthEndpoints } from './access/support/every-auth-endpoint.ts'
import { recordEvents } from './record-events.ts'
import { EveryOperation } from './support/every-operation.ts'
import { createBody, type OperationRequest } from './support/operation-request.ts'
import { Client, startService } from './support/service.ts'
import { openDriveServer } from './transfer/drive-server.ts'
import { openReceiver } from './webhooks/receiver.ts'

const recordedExamples: Record<string, RecordedExample> = {}
const receiver = await openReceiver()
const drives = await openDriveServer()
const service = await startService({
  OUTGOING_ALLOW: '127.0.0.0/8',
  DRIVES: JSON.stringify(drives.settings),
})
const client = new Client(service)

try {
  const stopRecording = await recordEvents(service, receiver)
  await new EveryOperation({ service, client, receiver, call }).run()
  await writeExamples('../events/examples/recorded.json', await stopRecording())
} finally {
  await service.stop()
  receiver.close()
  drives.close()
}
await writeExamples('../functions/routes/examples.json', {
  ...recordedExamples,
  ...(await recordAuthEndpoints()),
})
// New reply fields need new types in the client.
if (!process.env['EXAMPLES_TO']) await writeTypes()

async function writeExamples(path: string, examples: Readonly<Record<string, unknown>>): Promise<void> {
  const lines = Object.entries(examples).map(([id, one]) => `${JSON.stringify(id)}: ${JSON.stringify(one)}`)
  const text = `{\n${lines.join(',\n')}\n}\n`
    .replaceAll(service.url, 'http://localhost:8080')
    .replaceAll(receiver.url('/'), 'https://www.example.com/')
    .replaceAll(drives.url, 'https://drive.example.com')
    .replace(/\b([sc]k_[0-9A-Za-z]{4})[0-9A-Za-z]{41}(\w{4})\b/g, `$1${'x'.repeat(41)}$2`)
    .replace(/whsec_[\w+/=]+/g, 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD')
    // Credentials and signatures of the temporary service, which readers should not see.
    .replace(/(X-Amz-Credential=)[^%&"]+/g, '$1AKIAIOSFODNN7EXAMPLE')
    .replace(/(X-Amz-Credential":")[^/"]+/gi, '$1AKIAIOSFODNN7EXAMPLE')
    .replace(/(X-Amz-Signature(?:=|":"))\w+/gi, '$1EXAMPLE')
    .replace(/(otpauth:[^"]*secret=)[A-Z2-7]+/g, '$1JBSWY3DPEHPK3PXP')
    .replace(/("token":"eyJ)[\w.-]+/g, '$1EXAMPLE')
    .replace(/([&?]sig=)[\w-]+/g, '$1EXAMPLE')
    .replace(/("Policy":")[^"]+/gi, '$1EXAMPLE')
  await writeFile(process.env['EXAMPLES_TO'] ?? new URL(path, import.meta.url), text)
}

/** Sends a request. Records the first request of each operation, and its first reply of each status. */
// biome-ignore lint/suspicious/noExplicitAny: any reply of the operation
async function call(sentRequest: OperationRequest, shorten = (body: any): unknown => body): Promise<any> {
  const { method = 'GET', path, params = {}, query = {} } = sentRequest
  const contract = api.find((candidate) => candidate.method === method && candidate.path === path)
  if (!contract) throw new Error(`there is no ${method} ${path}`)
  const filledPath = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '')
  const { init, kept } = await createBody(sentRequest)
  const headers = {
    ...(init.headers as Record<string, string>),
    ...sentRequest.headers,
    ...defined({ prefer: sentRequest.waits && 'wait=25' }),
  }
  const send = () => client.fetch(`${filledPath}?${new URLSearchParams(query)}`, { ...init, method, headers })
  let response = await send()
  // On a busy machine the job may finish too late for the reply.
  for (let triesLeft = 8; sentRequest.waits && response.status === 202 && triesLeft > 0; triesLeft--)
    response = await send()
  const reply = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  const body = reply === '' ? undefined : isJson ? JSON.parse(reply) : reply
  const id = operationId(contract)
  const { parameters, request, responses } = recordedExamples[id] ?? { responses: {} }
  recordedExamples[id] = {
    parameters: { ...params, ...query, ...parameters },
    request: { ...kept, ...request },
    responses: { [response.status]: shorten(body), ...responses },
  }
  return isJson ? (body?.data ?? body) : body
}
