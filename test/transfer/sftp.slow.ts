import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import ssh2 from 'ssh2'
import { fetchRemoteFile } from '../../lib/transfer/fetch-remote.ts'
import { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import { RemoteError } from '../../lib/transfer/remote-error.ts'
import { findInSftp, openSftp } from '../../lib/transfer/sftp.ts'
import { SftpConnection } from '../../lib/transfer/sftp-connection.ts'
import { sendRequest } from '../../lib/transfer/sftp-window.ts'
import { startProxy } from './shaky-proxy.ts'
import { startSshd } from './sshd.ts'

const content = Buffer.from(Array.from({ length: 6_000_000 }, (_, at) => (at * 7 + (at >> 8)) % 251))
const abort = new AbortController()
const guardedHttp = new GuardedHttp({ allowedNetworks: ['127.0.0.1/32'] })
let sshd: Awaited<ReturnType<typeof startSshd>>
let proxy: Awaited<ReturnType<typeof startProxy>>
let access: Record<string, unknown>

before(async () => {
  sshd = await startSshd()
  proxy = await startProxy(sshd.port)
  const { host, port, username, plainKey, fingerprint } = sshd
  access = { host, port, username, private_key: plainKey, host_key_fingerprint: fingerprint }
  await writeFile(join(sshd.files, 'big.bin'), content)
})
after(async () => {
  abort.abort()
  await proxy.stop()
  await Promise.all([sshd.stop(), guardedHttp.close()])
})

const createDeps = (signal: AbortSignal = abort.signal) => ({ guardedHttp, signal })
const find = (fields: object) => findInSftp({ ...access, ...fields }, createDeps())

async function importFile(
  fields: object,
  signal: AbortSignal = abort.signal,
  onChunk = () => {},
): Promise<Buffer> {
  const [file = assert.fail()] = await findInSftp({ ...access, ...fields }, createDeps(signal))
  let storedBytes = Buffer.alloc(0)
  const store = async (body: AsyncIterable<Buffer>) => {
    storedBytes = await buffer(body)
  }
  await fetchRemoteFile(file, { maxBytes: 1e7, signal, onChunk, store })
  return storedBytes
}

function* splitIntoChunks(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

async function exportFile(path: string, fields = {}, signal: AbortSignal = abort.signal, onSent = () => {}) {
  const store = await openSftp({ ...access, ...fields }, createDeps(signal))
  let sentBytes = 0
  const file = {
    path,
    size: content.length,
    mimeType: 'application/x-test',
    sha256: '',
    open: async ({ start, end } = { start: 0, end: content.length }) =>
      Readable.from(splitIntoChunks(content.subarray(start, end))),
  }
  const count = (bytes: number) => {
    sentBytes += bytes
    onSent()
  }
  try {
    return { url: await store.put(file, count), sent: () => sentBytes }
  } finally {
    await store.close()
  }
}

const hasReason = (reason: string, words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof RemoteError, String(error))
  assert.equal(error.reason, reason, error.message)
  assert.match(error.message, words)
  assert.doesNotMatch(error.message, /PRIVATE|open sesame/)
  return true
}

test('the files of an SFTP folder are found, and a file can be read from a given position', async () => {
  const folder = join(sshd.files, 'in')
  await mkdir(join(folder, 'deep'), { recursive: true })
  for (const name of ['b.txt', 'a.txt']) await writeFile(join(folder, name), `this is ${name}`)
  const foundFiles = await find({ path: folder })
  assert.deepEqual(
    foundFiles.map(({ filename, size }) => [filename, size]),
    [
      ['a.txt', 13],
      ['b.txt', 13],
    ],
  )
  const remainder = (await foundFiles[1]?.open(8, abort.signal)) ?? assert.fail()
  assert.equal((await buffer(remainder)).toString(), 'b.txt')
})

test('a large file is read by SFTP completely and in order', async () => {
  assert.deepEqual(await importFile({ file: join(sshd.files, 'big.bin') }), content)
})

test('an SFTP download resumes where its connection was lost', async () => {
  const { state } = proxy
  Object.assign(state, { connections: 0, cutAfterBytes: 2_000_000, cuts: 2 })
  assert.deepEqual(await importFile({ file: join(sshd.files, 'big.bin'), port: proxy.port }), content)
  assert.deepEqual([state.connections, state.cuts], [3, 0])
})

test('an SFTP file that changed after it was found is rejected instead of mixing two versions', async () => {
  const path = join(sshd.files, 'turning.txt')
  await writeFile(path, 'one')
  const [file = assert.fail()] = await find({ file: path })
  await writeFile(path, 'other')
  await assert.rejects(file.open(1, abort.signal), /changed while it was being fetched/)
})

test('an SFTP export replaces an existing file and creates missing folders', async () => {
  const path = join(sshd.files, 'out/new/result ü.bin')
  for (let time = 0; time < 2; time++) {
    const { url, sent } = await exportFile(path)
    assert.deepEqual([url, sent()], [`sftp://127.0.0.1:${sshd.port}${encodeURI(path)}`, content.length])
  }
  assert.deepEqual(await readFile(path), content)
  assert.deepEqual(await readdir(join(sshd.files, 'out/new')), ['result ü.bin'])
})

test('an SFTP export resumes where its connection was lost', async () => {
  Object.assign(proxy.state, { connections: 0, cutAfterBytes: 2_000_000, cuts: 2 })
  const path = join(sshd.files, 'resumed/result.bin')
  const { sent } = await exportFile(path, { port: proxy.port })
  assert.deepEqual(await readFile(path), content)
  assert.equal(sent(), content.length)
  assert.ok(proxy.state.connections >= 3)
})

test('an aborted SFTP transfer stops immediately and leaves no data behind', async () => {
  const stop = new AbortController()
  let stoppedAt = 0
  const stopTransfer = () => {
    stoppedAt ||= performance.now()
    stop.abort()
  }
  await assert.rejects(exportFile(join(sshd.files, 'stopped/result.bin'), {}, stop.signal, stopTransfer))
  assert.ok(performance.now() - stoppedAt < 1000)
  assert.deepEqual(await readdir(join(sshd.files, 'stopped')), [])
  const otherAbort = new AbortController()
  await assert.rejects(
    importFile({ file: join(sshd.files, 'big.bin') }, otherAbort.signal, () => otherAbort.abort()),
  )
})

test('an SFTP server with an unexpected host key is rejected, and the error contains the fingerprint of the key', async () => {
  const host_key_fingerprint = `SHA256:${'A'.repeat(43)}`
  await assert.rejects(find({ file: '/none', host_key_fingerprint }), (error) => {
    assert.ok(error instanceof RemoteError)
    assert.equal(error.details['fingerprint'], sshd.fingerprint)
    return hasReason('host-key', /is SHA256:[\w+/]{43}, which does not match host_key_fingerprint\.$/)(error)
  })
})

test('an SFTP private key that is encrypted requires its passphrase', async () => {
  const locked = { file: join(sshd.files, 'big.bin'), private_key: sshd.lockedKey }
  const [file] = await find({ ...locked, passphrase: sshd.passphrase })
  assert.equal(file?.size, content.length)
  await assert.rejects(find(locked), hasReason('forbidden', /it is encrypted, and passphrase is missing/))
  const fieldsWithWrongPassphrase = { ...locked, passphrase: 'wrong' }
  await assert.rejects(find(fieldsWithWrongPassphrase), hasReason('forbidden', /the passphrase is wrong/))
  const fieldsWithInvalidKey = { ...locked, private_key: 'none' }
  await assert.rejects(
    find(fieldsWithInvalidKey),
    hasReason('forbidden', /expected an OpenSSH, PEM or PuTTY key/),
  )
})

test('errors of the SFTP server are mapped to reasons', async () => {
  const file = join(sshd.files, 'big.bin')
  await assert.rejects(find({ file: '/none' }), hasReason('not-found', /^sftp:.*\/none does not exist\.$/))
  await assert.rejects(find({ path: '/none' }), hasReason('not-found', /does not exist/))
  await assert.rejects(find({ file: sshd.files }), hasReason('not-found', /is not a file/))
  await assert.rejects(
    find({ file, private_key: undefined, password: 'wrong' }),
    hasReason('forbidden', /rejected the password or key of/),
  )
  await assert.rejects(find({ file, port: 1 }), hasReason('unreachable', /it refused the connection/))
  await assert.rejects(exportFile('/proc/none/a.bin'), hasReason('not-found', /does not exist/))
})

test('an SFTP password also works with servers that request it interactively', async () => {
  const key = ssh2.utils.generateKeyPairSync('ed25519').private
  for (const method of ['password', 'keyboard-interactive']) {
    const server = new ssh2.Server({ hostKeys: [key] }, (client) => {
      client.on('error', () => {})
      client.on('authentication', (auth) => {
        const answerPassword = (password: string | undefined) =>
          password === 'pass' ? auth.accept() : auth.reject()
        if (auth.method !== method) auth.reject(['password', 'keyboard-interactive'])
        else if (auth.method === 'password') answerPassword(auth.password)
        else if (auth.method === 'keyboard-interactive')
          auth.prompt([{ prompt: 'Password:', echo: false }], ([answer]) => answerPassword(answer))
      })
      client.on('ready', () =>
        client.on('session', (accept) =>
          accept().on('sftp', (take) => {
            const sftp = take()
            sftp.on('STAT', (id) =>
              sftp.attrs(id, { mode: 0o100644, size: 5, uid: 0, gid: 0, atime: 0, mtime: 0 }),
            )
          }),
        ),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const fields = {
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      username: 'ann',
      file: 'a.txt',
    }
    const signal = new AbortController()
    const [file] = await findInSftp({ ...fields, password: 'pass' }, createDeps(signal.signal))
    assert.equal(file?.size, 5)
    signal.abort()
    await assert.rejects(
      findInSftp({ ...fields, password: 'wrong' }, createDeps()),
      hasReason('forbidden', /rejected the password or key of ann/),
    )
    server.close()
  }
})

const anyAttributes = { mode: 0o40755, size: 0, uid: 0, gid: 0, atime: 0, mtime: 0 }

test('a request to an SFTP server that does not respond times out, but an idle connection stays open', async () => {
  let isMute = false
  const server = new ssh2.Server(
    { hostKeys: [ssh2.utils.generateKeyPairSync('ed25519').private] },
    (client) => {
      client.on('error', () => {})
      client.on('authentication', (auth) => auth.accept())
      client.on('ready', () =>
        client.on('session', (accept) =>
          accept().on('sftp', (take) => {
            if (isMute) return
            const sftp = take()
            sftp.on('STAT', () => {})
            sftp.on('REALPATH', (id) =>
              sftp.name(id, [{ filename: '/', longname: '/', attrs: anyAttributes }]),
            )
          }),
        ),
      )
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const fields = { host: '127.0.0.1', port, username: 'ann', password: 'pass' }
  const connection = new SftpConnection(fields, createDeps(), 400)
  const sftp = await connection.openSession()
  const isGone = (error: unknown) => {
    const failure = connection.toError(error, 'a.txt')
    return hasReason('unreachable', /did not respond for 0 s/)(failure)
  }
  await assert.rejects(
    sendRequest(sftp, (callback) => sftp.stat('a.txt', callback)),
    isGone,
  )
  // Without pending requests, there is no timeout.
  const reopenedSession = await connection.openSession()
  await sleep(1000)
  assert.equal(
    await sendRequest<string>(reopenedSession, (callback) => reopenedSession.realpath('.', callback)),
    '/',
  )
  connection.close()
  isMute = true
  const silentConnection = new SftpConnection(fields, createDeps(), 400)
  await assert.rejects(silentConnection.openSession(), hasReason('unreachable', /did not respond/))
  server.close()
})
