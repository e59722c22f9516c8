import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { type DriveId, driveIds } from '../../lib/component-ids.ts'
import { DriveConnections } from '../../lib/transfer/drives/connections.ts'
import { DriveService, minTokenLifetimesMs } from '../../lib/transfer/drives/drive-service.ts'
import { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import { defined } from '../../lib/validation/defined.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { clientSecret, openDriveServer } from './drive-server.ts'

let app: EmbeddedApp
let server: Awaited<ReturnType<typeof openDriveServer>>
const OUTGOING_ALLOW = ['127.0.0.0/8', '::1/128']
const guardedHttp = new GuardedHttp({ allowedNetworks: OUTGOING_ALLOW })
before(async () => {
  server = await openDriveServer()
  const plainApp = await openApp()
  const config = { ...plainApp.services.config, OUTGOING_ALLOW, DRIVES: server.settings }
  app = plainApp.with({ config, guardedHttp: async () => guardedHttp })
})
after(async () => {
  server.close()
  await guardedHttp.close()
  await app.close()
})

type Query = Readonly<Record<string, string>>

/** Creates a browser that keeps its identity; redirects of the drive are followed explicitly. */
function createBrowser() {
  let token: string | undefined
  return async (method: string, path: string, query: Query = {}, body?: unknown, more: Query = {}) => {
    const headers = { ...(token && { 'x-owner-token': token }), ...more }
    const response = await app.send(method, path, { query, headers, ...defined({ body }) })
    token = response.headers['x-owner-token'] ?? token
    return response
  }
}
type Browser = ReturnType<typeof createBrowser>

/** Consents at the drive and returns the query of its redirect. */
async function consent(authorizationUrl: string): Promise<Query> {
  const { headers } = await fetch(authorizationUrl, { redirect: 'manual' })
  return Object.fromEntries(new URL(headers.get('location') ?? '').searchParams)
}

async function connectDrive(browser: Browser, drive: DriveId): Promise<string> {
  const startedReply = await browser('GET', `/v1/cloud/${drive}/auth`)
  assert.equal(startedReply.status, 200, startedReply.text)
  const back = await browser(
    'GET',
    `/v1/cloud/${drive}/callback`,
    await consent(startedReply.json.data.authorizationUrl),
  )
  assert.equal(back.status, 200, back.text)
  assert.deepEqual(back.json.data.account, { name: 'Ada', email: 'ada@example.com' })
  return back.json.data.connectionId
}

test('GET /v1/cloud lists only configured drives', async () => {
  const { json } = await createBrowser()('GET', '/v1/cloud')
  assert.deepEqual(json.data.drives, [
    { id: 'google-drive', name: 'Google Drive' },
    { id: 'dropbox', name: 'Dropbox' },
    { id: 'onedrive', name: 'OneDrive' },
  ])
  const config = { ...app.services.config, DRIVES: undefined }
  const replyWithoutDrives = await app.with({ config }).send('GET', '/v1/cloud')
  assert.deepEqual(replyWithoutDrives.json.data.drives, [])
})

for (const drive of driveIds) {
  test(`the drive ${drive} can be connected, browsed, searched, imported from and disconnected`, async () => {
    const browser = createBrowser()
    const connectionId = await connectDrive(browser, drive)
    const path = `/v1/cloud/${drive}`
    const listedItems: Record<string, unknown>[] = []
    for (let cursor: string | undefined; ; ) {
      const query = { connectionId, limit: '1', ...(cursor && { cursor }) }
      const { status, json } = await browser('GET', `${path}/list`, query)
      assert.equal(status, 200)
      listedItems.push(...json.data.items)
      cursor = json.data.nextCursor ?? undefined
      if (!cursor) break
    }
    assert.deepEqual(
      listedItems.map(({ name, isFolder, size }) => [name, isFolder, size]),
      [
        ['Folder', true, null],
        ['Notes.txt', false, 18],
        ["It's late.txt", false, 4],
      ],
    )
    const [folder, notes] = listedItems
    const folderReply = await browser('GET', `${path}/list`, {
      connectionId,
      folderId: String(folder?.['id']),
    })
    assert.deepEqual(
      [folderReply.json.data.items[0].name, folderReply.json.data.nextCursor],
      ['Inner.txt', null],
    )
    const foundReply = await browser('GET', `${path}/list`, { connectionId, q: "It's" })
    assert.deepEqual(
      foundReply.json.data.items.map(({ name }: { name: string }) => name),
      ["It's late.txt"],
    )

    const fileIds = [notes?.['id']]
    const importReply = await browser('POST', `${path}/import`, {}, { connectionId, fileIds })
    assert.equal(importReply.status, 202, importReply.text)
    assert.match(importReply.json.data.items[0].uploadId, /^upl_/)
    const importRequest = { connectionId, fileIds, targetFormat: 'pdf', tag: 'drive' }
    const convertedReply = await browser('POST', `${path}/import`, {}, importRequest)
    assert.equal(convertedReply.status, 202, convertedReply.text)
    const job = (await browser('GET', `/v1/jobs/${convertedReply.json.data.jobId}`)).json.data
    assert.deepEqual([job.tag, Object.keys(job.tasks)], ['drive', ['import-1', 'convert-1', 'export']])

    const driveService = new DriveService(drive, app.services)
    const connection = await new DriveConnections(app.services).find(connectionId)
    assert.ok(connection)
    const link = await driveService.use(connection, minTokenLifetimesMs.transfer, (request) =>
      driveService.drive.link(request, String(notes?.['id'])),
    )
    assert.equal(link.filename, 'Notes.txt')
    const signal = AbortSignal.timeout(5000)
    const { status, body } = await guardedHttp.request(link.url, { headers: link.headers, signal })
    assert.deepEqual([status, await text(body)], [200, 'hello from a drive'])

    const missingReply = await browser(
      'POST',
      `${path}/import`,
      {},
      { connectionId, fileIds: ['id:nothing'] },
    )
    assert.deepEqual(
      [missingReply.status, missingReply.json.error.code, missingReply.json.error.details.reason],
      [502, 'IMPORT_FAILED', 'not-found'],
    )
    const connectionPath = `${path}/connections/${connectionId}`
    assert.equal((await createBrowser()('DELETE', connectionPath)).status, 409)
    assert.equal((await browser('DELETE', connectionPath)).status, 204)
    const replyAfter = await browser('GET', `${path}/list`, { connectionId })
    assert.deepEqual([replyAfter.status, replyAfter.json.error.code], [409, 'DRIVE_NOT_CONNECTED'])
  })
}

test('drive tokens are refreshed before they expire, and stored encrypted', async () => {
  const browser = createBrowser()
  server.state.lifetimeS = 600
  const connectionId = await connectDrive(browser, 'dropbox')
  const list = () => browser('GET', '/v1/cloud/dropbox/list', { connectionId })
  const refreshesBefore = server.state.refreshes
  assert.equal((await list()).status, 200)
  assert.equal(server.state.refreshes, refreshesBefore, 'ten minutes are enough for browsing')
  const body = { connectionId, fileIds: ['id:f1'] }
  assert.equal((await browser('POST', '/v1/cloud/dropbox/import', {}, body)).status, 202)
  assert.equal(server.state.refreshes, refreshesBefore + 1, 'a file may be fetched later')
  const storedJson = JSON.stringify(await app.services.table.partition(`DRIVE#${connectionId}`))
  for (const secret of [server.state.access, server.state.refresh, clientSecret])
    assert.ok(!storedJson.includes(secret))
  server.state.lifetimeS = 1
  const otherConnection = await connectDrive(browser, 'dropbox')
  server.state.refresh = 'revoked'
  const refusedReply = await browser('GET', '/v1/cloud/dropbox/list', { connectionId: otherConnection })
  assert.deepEqual([refusedReply.status, refusedReply.json.error.code], [409, 'DRIVE_NOT_CONNECTED'])
  server.state.lifetimeS = 3600
})

test('a drive authorization can be completed only once, by the browser that started it', async () => {
  const [browser, otherBrowser] = [createBrowser(), createBrowser()]
  await otherBrowser('GET', '/v1/cloud/onedrive/auth')
  const begin = async () => (await browser('GET', '/v1/cloud/onedrive/auth')).json.data.authorizationUrl
  const callback = (from: Browser, query: Query) => from('GET', '/v1/cloud/onedrive/callback', query)
  const otherBrowserReply = await callback(otherBrowser, await consent(await begin()))
  assert.deepEqual(
    [otherBrowserReply.status, otherBrowserReply.json.error.code],
    [403, 'INSUFFICIENT_PERMISSIONS'],
  )
  const query = await consent(await begin())
  assert.equal((await callback(browser, query)).status, 200)
  const repeatedReply = await callback(browser, query)
  assert.deepEqual([repeatedReply.status, repeatedReply.json.error.details.field], [400, 'state'])
  const [ownRedirect, foreignRedirect] = [await consent(await begin()), await consent(await begin())]
  const mixedReply = await callback(browser, { ...ownRedirect, code: String(foreignRedirect['code']) })
  assert.deepEqual([mixedReply.status, mixedReply.json.error.code], [409, 'DRIVE_NOT_CONNECTED'])
  const otherCallback = await browser('GET', '/v1/cloud/dropbox/callback', foreignRedirect)
  assert.equal(otherCallback.status, 400)
})

test('the drive callback redirects to a page of this service with the result', async () => {
  const browser = createBrowser()
  const redirectUri = 'http://localhost:8080/#drives'
  const path = '/v1/cloud/google-drive'
  const html = { accept: 'text/html' }
  const startedReply = await browser('GET', `${path}/auth`, { redirectUri, state: 'mine' }, undefined, html)
  assert.equal(startedReply.status, 302)
  const back = await browser('GET', `${path}/callback`, await consent(startedReply.headers['location'] ?? ''))
  assert.equal(back.status, 302)
  const returnUrl = new URL(back.headers['location'] ?? '')
  assert.match(returnUrl.searchParams.get('connectionId') ?? '', /^conn_/)
  assert.deepEqual([returnUrl.searchParams.get('state'), returnUrl.hash], ['mine', '#drives'])
  const refusedUrl = (await browser('GET', `${path}/auth`, { redirectUri })).json.data
  const deniedReply = await browser('GET', `${path}/callback`, {
    state: refusedUrl.state,
    error: 'access_denied',
  })
  assert.match(deniedReply.headers['location'] ?? '', /\?error=access_denied/)
  const foreignRedirect = await browser('GET', `${path}/auth`, { redirectUri: 'https://evil.example.com/' })
  assert.deepEqual([foreignRedirect.status, foreignRedirect.json.error.details.field], [400, 'redirectUri'])
})

test('a request for a drive that is not configured is rejected', async () => {
  const appWithDropboxOnly = app.with({
    config: { ...app.services.config, DRIVES: { dropbox: server.settings.dropbox } },
  })
  const response = await appWithDropboxOnly.send('GET', '/v1/cloud/onedrive/auth')
  assert.deepEqual([response.status, response.json.error.code], [503, 'DRIVE_NOT_CONFIGURED'])
  const unknownDriveReply = await appWithDropboxOnly.send('GET', '/v1/cloud/floppy/auth')
  assert.deepEqual([unknownDriveReply.status, unknownDriveReply.json.error.code], [400, 'INVALID_INPUT'])
  assert.match(unknownDriveReply.json.error.message, /google-drive.*dropbox.*onedrive/)
})
