import { setTimeout as sleep } from 'node:timers/promises'
import type { openReceiver } from '../webhooks/receiver.ts'
import { createAdminKey, createManagerKey } from './account.ts'
import { fixture, type OperationRequest } from './operation-request.ts'
import type { Client, TestService } from './service.ts'

/** Sends a request and returns the data of its reply. @param shorten what to record of a reply. */
// biome-ignore lint/suspicious/noExplicitAny: any reply of the operation
export type CallOperation = (sentRequest: OperationRequest, shorten?: (body: any) => unknown) => Promise<any>

interface CallContext {
  readonly service: TestService
  readonly client: Client
  readonly receiver: Awaited<ReturnType<typeof openReceiver>>
  readonly call: CallOperation
}

/** Calls each operation of the API successfully, in an order in which that is possible. */
export class EveryOperation {
  readonly #service: TestService
  readonly #client: Client
  readonly #receiver: CallContext['receiver']
  readonly #call: CallOperation

  constructor({ service, client, receiver, call }: CallContext) {
    this.#service = service
    this.#client = client
    this.#receiver = receiver
    this.#call = call
  }

  async run(): Promise<void> {
    await this.#call({ path: '/v1' })
    await this.#call({ path: '/health' })
    await this.#call({ path: '/v1/plans' })
    await this.#call({ path: '/v1/formats', query: { q: 'webp' } })
    await this.#call({ path: '/v1/formats/:formatId', params: { formatId: 'webp' } })
    // Linters of OpenAPI documents mistake an option with a type and a default for a schema.
    await this.#call({ path: '/v1/formats/conversions', query: { from: 'wav', to: 'flac' } }, (body) => {
      for (const conversion of body.data.conversions)
        conversion.options = conversion.options.filter((option: object) => !('default' in option))
      return body
    })
    await this.#call({
      method: 'POST',
      path: '/v1/convert/check',
      json: { from: 'gif', targetFormat: 'jpg', options: { quality: 'high' } },
    })
    const checkedConversion = { from: 'png', targetFormat: 'webp', quality: 80 }
    await this.#call({ method: 'POST', path: '/v1/convert/check', urlEncoded: checkedConversion })
    await this.#call({ path: '/v1/openapi.json' }, ({ openapi, info }) => ({ openapi, info, paths: {} }))
    await this.#call({ path: '/v1/asyncapi.json' }, ({ asyncapi, info }) => ({ asyncapi, info }))

    const url = 'https://www.example.com/report.pdf'
    await this.#call({ method: 'POST', path: '/v1/import/url', json: { url, filename: 'report.pdf' } })
    await this.#call({ method: 'POST', path: '/v1/import/url', urlEncoded: { url } })

    const [uploadId, second, third, fourthId] = [
      await this.#upload(),
      await this.#upload(),
      await this.#upload(),
      await this.#upload(),
    ]
    await this.#call({ path: '/v1/uploads/:uploadId', params: { uploadId } })
    const form = { filename: 'video.mp4', contentType: 'video/mp4', size: 1_048_576, method: 'POST' }
    await this.#call({ method: 'POST', path: '/v1/uploads/presign', urlEncoded: form })
    const largeFile = { filename: 'video.mp4', type: 'video/mp4', size: 1_073_741_824 }
    await this.#call({ method: 'POST', path: '/v1/uploads/multipart', urlEncoded: largeFile })
    await this.#uploadInParts('/v1/uploads/multipart')
    await this.#uploadInParts('/v1/uploads/s3/multipart')
    const namedFile = { filename: 'photo.png', type: 'image/png' }
    await this.#call({ path: '/v1/uploads/s3/params', query: namedFile })
    const { jobId } = await this.#call({
      method: 'POST',
      path: '/v1/convert',
      json: { uploadId, targetFormat: 'webp', quality: 80 },
    })
    await this.#call({
      method: 'POST',
      path: '/v1/convert',
      form: { file: '@alpha.png', targetFormat: 'webp', tag: 'holiday' },
      waits: true,
    })
    await this.#call({
      method: 'POST',
      path: '/v1/convert',
      urlEncoded: { uploadId: second, targetFormat: 'jpg' },
      query: { redirect: 'true' },
      waits: true,
    })
    await this.#call({
      method: 'POST',
      path: '/v1/convert',
      form: { file: '@alpha.png', targetFormat: 'mp3' },
    })
    const uploadIds = [third, fourthId]
    await this.#call({
      method: 'POST',
      path: '/v1/convert/merge',
      json: { uploadIds, mergeType: 'image', options: { layout: 'horizontal' } },
    })
    await this.#call({
      method: 'POST',
      path: '/v1/convert/merge',
      form: { file: ['@three-pages.pdf', '@three-pages.pdf'], mergeType: 'pdf' },
      waits: true,
    })
    await this.#call({
      method: 'POST',
      path: '/v1/convert/merge',
      urlEncoded: { uploadIds: uploadIds.join(), mergeType: 'image' },
    })
    const files = { file: ['@alpha.png', '@corners.bmp'], targetFormat: 'webp' }
    await this.#call({ method: 'POST', path: '/v1/convert/batch', form: files })
    await this.#call({ method: 'POST', path: '/v1/convert/batch', form: files, waits: true })
    await this.#call({
      method: 'POST',
      path: '/v1/convert/batch',
      json: { items: [{ uploadId: await this.#upload(), targetFormat: 'webp' }] },
    })

    await this.#client.finishedJob(jobId)
    await this.#call({ path: '/v1/status/:jobId', params: { jobId } })
    await this.#call({ path: '/v1/jobs/:jobId', params: { jobId } })
    await this.#call({ path: '/v1/download/:jobId', params: { jobId } })
    await this.#call({ path: '/v1/jobs/:jobId/events', params: { jobId } })
    await this.#call({ method: 'POST', path: '/v1/ws/tickets' })
    await this.#call({ method: 'POST', path: '/v1/download/signed', json: { jobId, maxDownloads: 3 } })
    await this.#call({ method: 'POST', path: '/v1/download/signed', urlEncoded: { jobId, expiresIn: 600 } })
    // Asynchronous, because it depends on the machine whether a ZIP is ready within seconds.
    await this.#call({
      method: 'POST',
      path: '/v1/download/zip',
      query: { async: 'true' },
      json: { jobIds: [jobId] },
    })
    await this.#call({ path: '/v1/jobs', query: { limit: '1', status: 'completed', targetFormat: 'webp' } })
    await this.#call({ method: 'POST', path: '/v1/jobs/:jobId/retry', params: { jobId } })
    await this.#call({ method: 'POST', path: '/v1/jobs/:jobId/retry', params: { jobId }, waits: true })
    const tasks = {
      text: { operation: 'import/raw', filename: 'hello.md', file: '# Hello' },
      page: { operation: 'convert', input: 'text', output_format: 'html' },
      out: { operation: 'export/url', input: 'page' },
    }
    await this.#call({ method: 'POST', path: '/v1/jobs', json: { tasks } })
    await this.#call({ method: 'POST', path: '/v1/jobs', json: { tasks }, waits: true })
    await this.#callWorkflows(tasks)
    await this.#callWebhooks(tasks)
    await this.#callApiKeys()
    await this.#callOauth()
    await this.#callDrives()
    await this.#callStatistics()
    await this.#callAdmin()
    // The job waits for a file that never arrives, so that it can be cancelled.
    const waitingTasks = { ...tasks, text: { operation: 'import/upload', filename: 'hello.md' } }
    const awaitedJob = (await (await this.#client.post('/v1/jobs', { tasks: waitingTasks })).json()) as {
      data: { jobId: string }
    }
    await this.#call({
      method: 'POST',
      path: '/v1/jobs/:jobId/cancel',
      params: { jobId: awaitedJob.data.jobId },
    })
    await this.#call({ method: 'DELETE', path: '/v1/jobs/:jobId', params: { jobId } })
    await this.#call({ path: '/v1/status/:jobId', params: { jobId } })
  }

  async #callWorkflows(tasks: object): Promise<void> {
    const nightly = { name: 'Daily report', cron: '0 3 * * *', timezone: 'Europe/Berlin', tasks }
    const path = '/v1/workflows'
    const { id: workflowId } = await this.#call({ method: 'POST', path, json: nightly })
    const request = { path: `${path}/:workflowId`, params: { workflowId } }
    await this.#call({ ...request, method: 'POST', path: `${request.path}/run` })
    await this.#call({ ...request, path: `${request.path}/runs` })
    await this.#call({ ...request, method: 'PATCH', json: { overlap: 'queue' } })
    await this.#call(request)
    await this.#call({ path })
    await this.#call({ ...request, method: 'DELETE' })
  }

  async #callApiKeys(): Promise<void> {
    const headers = { 'x-api-key': await createManagerKey(this.#service) }
    await this.#call({ path: '/v1/account', headers })
    const path = '/v1/api-keys'
    const json = { name: 'Nightly reports', access: 'convert-only', allowedIps: ['203.0.113.0/24'] }
    const { id: keyId } = await this.#call({ method: 'POST', path, json, headers })
    const request = { path: `${path}/:keyId`, params: { keyId }, headers }
    await this.#call({ ...request, method: 'PATCH', json: { name: 'Reports', allowedIps: null } })
    await this.#call(request)
    await this.#call({ path, headers })
    await this.#call({ ...request, method: 'POST', path: `${request.path}/rotate` })
    await this.#call({ ...request, method: 'DELETE' })
  }

  async #callOauth(): Promise<void> {
    const headers = { 'x-api-key': await createManagerKey(this.#service) }
    const path = '/v1/oauth/clients'
    const { clientId, clientSecret } = await this.#call({
      method: 'POST',
      path,
      json: { name: 'Nightly' },
      headers,
    })
    const client = { client_id: clientId, client_secret: clientSecret }
    const tokenRequest = { grant_type: 'client_credentials', scope: 'CONVERT_READ CONVERT_WRITE', ...client }
    const tokenReply = await this.#call({ method: 'POST', path: '/v1/oauth/token', urlEncoded: tokenRequest })
    const wrongScope = { ...tokenRequest, scope: 'EVERYTHING' }
    await this.#call({ method: 'POST', path: '/v1/oauth/token', urlEncoded: wrongScope })
    const token = { token: tokenReply.access_token, ...client }
    await this.#call({ method: 'POST', path: '/v1/oauth/introspect', urlEncoded: token })
    await this.#call({ method: 'POST', path: '/v1/oauth/revoke', urlEncoded: token })
    await this.#call({ path: '/.well-known/oauth-authorization-server' })
    await this.#call({ path, headers })
    await this.#call({ method: 'DELETE', path: `${path}/:clientId`, params: { clientId }, headers })
  }

  async #callDrives(): Promise<void> {
    const path = '/v1/cloud/:drive'
    const params = { drive: 'dropbox' }
    await this.#call({ path: '/v1/cloud' })
    const { authorizationUrl } = await this.#call({
      path: `${path}/auth`,
      params,
      query: { access: 'write' },
    })
    const { headers } = await fetch(authorizationUrl, { redirect: 'manual' })
    const query = Object.fromEntries(new URL(headers.get('location') ?? '').searchParams)
    const { connectionId } = await this.#call({ path: `${path}/callback`, params, query })
    await this.#call({ path: `${path}/list`, params, query: { connectionId, q: 'Notes' } })
    const json = { connectionId, fileIds: ['id:f1'], targetFormat: 'pdf' }
    await this.#call({ method: 'POST', path: `${path}/import`, params, json })
    const notes = { name: 'notes.md', bytes: Buffer.from('# Notes') }
    const { data: job } = (await (await this.#client.convert(notes, { targetFormat: 'html' })).json()) as {
      data: { jobId: string }
    }
    const { jobId } = await this.#client.finishedJob(job.jobId)
    await this.#call({ method: 'POST', path: `${path}/export`, params, json: { connectionId, jobId } })
    const request = { path: `${path}/connections/:connectionId`, params: { ...params, connectionId } }
    await this.#call({ method: 'DELETE', ...request })
  }

  async #callStatistics(): Promise<void> {
    await this.#call({ path: '/v1/account/usage', query: { groupBy: 'engine' } })
    await this.#call({
      path: '/v1/account/quota',
      headers: { 'x-api-key': await createManagerKey(this.#service) },
    })
    await this.#call({
      path: '/v1/admin/slo',
      query: { days: '7' },
      headers: { 'x-api-key': await createAdminKey(this.#service) },
    })
    await this.#call({ path: '/v1/reliability' })
  }

  async #callAdmin(): Promise<void> {
    const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
    const signUp = await fetch(`${this.#service.url}/v1/auth/sign-up/email`, {
      method: 'POST',
      // The header shows that the request comes from a page of the service.
      headers: { 'content-type': 'application/json', origin: this.#service.url },
      body: JSON.stringify(person),
    })
    const { user } = (await signUp.json()) as { user: { id: string } }
    const headers = { 'x-api-key': await createAdminKey(this.#service) }
    const path = '/v1/admin/users'
    const request = { path: `${path}/:userId`, params: { userId: user.id }, headers }
    await this.#call({ path, query: { q: 'ada@example' }, headers })
    await this.#call(request)
    await this.#call({ ...request, method: 'PATCH', json: { plan: 'pro' } })
    const { sessions } = await this.#call({ ...request, path: `${request.path}/sessions` })
    const sessionId = sessions[0].id
    await this.#call({
      method: 'DELETE',
      path: '/v1/admin/sessions/:sessionId',
      params: { sessionId },
      headers,
    })
    await this.#call({ path: '/v1/admin/audit', headers })
  }

  async #callWebhooks(tasks: object): Promise<void> {
    const path = '/v1/webhooks'
    const json = { url: this.#receiver.url('/hook'), events: ['job.completed', 'job.failed'] }
    const { id: webhookId } = await this.#call({ method: 'POST', path, json })
    const sinceTime = new Date(Date.now() - 60_000).toISOString()
    const request = { path: `${path}/:webhookId`, params: { webhookId } }
    await this.#call({
      ...request,
      method: 'POST',
      path: `${request.path}/test`,
      json: { event: 'job.completed' },
    })
    await this.#client.post('/v1/jobs', { tasks }, { prefer: 'wait=25' })
    const allDeliveries = { ...request, path: `${request.path}/deliveries` }
    let deliveries: { id: string; event: string; status: string }[] = []
    const haveDeliveriesSucceeded = () =>
      deliveries.length > 1 && deliveries.every(({ status }) => status === 'succeeded')
    for (let triesLeft = 100; !haveDeliveriesSucceeded() && triesLeft > 0; triesLeft--) {
      await sleep(100)
      const reply = await this.#client.fetch(`${path}/${webhookId}/deliveries`)
      deliveries = ((await reply.json()) as { data: { deliveries: typeof deliveries } }).data.deliveries
    }
    await this.#call(allDeliveries)
    const delivery = {
      path: `${allDeliveries.path}/:deliveryId`,
      params: { webhookId, deliveryId: deliveries[0]?.id ?? '' },
    }
    await this.#call(delivery)
    await this.#call({ ...delivery, method: 'POST', path: `${delivery.path}/redeliver` })
    await this.#call({
      ...request,
      method: 'POST',
      path: `${request.path}/replay`,
      json: { since: sinceTime },
    })
    await this.#call({
      ...request,
      method: 'POST',
      path: `${request.path}/rotate-secret`,
      json: { graceHours: 48 },
    })
    await this.#call({ path: `${path}/secret` })
    await this.#call({ method: 'POST', path: `${path}/secret/rotate`, json: { graceHours: 48 } })
    await this.#call({ ...request, method: 'PATCH', json: { description: 'The ends of jobs' } })
    await this.#call(request)
    await this.#call({ path })
    await this.#call({ ...request, method: 'DELETE' })
  }

  async #upload(): Promise<string> {
    const body = Buffer.from(await fixture('alpha.png'))
    const json = { filename: 'photo.png', contentType: 'image/png', size: body.length }
    const { uploadId, url, headers } = await this.#call({ method: 'POST', path: '/v1/uploads/presign', json })
    const { status } = await fetch(url, { method: 'PUT', headers, body })
    if (status !== 200) throw new Error(`the upload answered ${status}`)
    return uploadId
  }

  /** Creates a multipart upload that is completed, and another one that is aborted. */
  async #uploadInParts(path: string): Promise<void> {
    const body = Buffer.from(await fixture('alpha.png'))
    const isNativePath = path === '/v1/uploads/multipart'
    const json = { filename: 'photo.png', type: 'image/png', size: body.length }
    const { uploadId, key } = await this.#call({ method: 'POST', path, json })
    const givenRequest = { params: { uploadId }, query: { key } }
    const partRequest = { ...givenRequest, params: { uploadId, partNumber: '1' } }
    const { url } = await this.#call({ path: `${path}/:uploadId/:partNumber`, ...partRequest })
    if (isNativePath)
      await this.#call({
        path: `${path}/:uploadId/batch`,
        ...givenRequest,
        query: { key, partNumbers: '1,2' },
      })
    const ETag = (await fetch(url, { method: 'PUT', body })).headers.get('etag')
    await this.#call({ path: `${path}/:uploadId`, ...givenRequest })
    const parts = [{ PartNumber: 1, ETag }]
    await this.#call({ method: 'POST', path: `${path}/:uploadId/complete`, ...givenRequest, json: { parts } })
    const otherUpload = await this.#call({ method: 'POST', path, json })
    const droppedUpload = { params: { uploadId: otherUpload.uploadId }, query: { key: otherUpload.key } }
    await this.#call({ method: 'DELETE', path: `${path}/:uploadId`, ...droppedUpload })
  }
}
