import { createHash, createSecretKey } from 'node:crypto'
import ssh2, { type ConnectConfig, type SFTPWrapper } from 'ssh2'
import { AppError } from '../errors.ts'
import { defined } from '../validation/defined.ts'
import { RemoteError } from './remote-error.ts'
import { limitSilence } from './sftp-window.ts'
import type { TaskFields, TransferDeps } from './transfer.ts'

const { Client, utils } = ssh2

/** A server in the fields of a task; see lib/tasks/sftp.ts. */
interface SftpServer {
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password?: string
  readonly private_key?: string
  readonly passphrase?: string
  readonly host_key_fingerprint?: string
}

/** Timeout for handshake and sign-in. */
const readyTimeoutMs = 20_000
/** Interval between two keepalive requests, of which three may remain unanswered. */
const keepaliveIntervalMs = 10_000
/** How long a connected server may leave requests unanswered, in milliseconds. */
const defaultSilenceTimeoutMs = 60_000

/** Ciphers that Node implements come first, because the library's own ciphers are several times slower. */
const fastCiphers = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com'] as const

/** A connection that is opened on demand, and again after it was lost. The signal of `deps` closes it. */
export class SftpConnection {
  readonly #server: SftpServer
  readonly #deps: TransferDeps
  #session: Promise<SFTPWrapper> | undefined
  #client: ssh2.Client | undefined
  readonly #silenceTimeoutMs: number
  #hasTimedOut = false

  constructor(fields: TaskFields, deps: TransferDeps, silenceTimeoutMs = defaultSilenceTimeoutMs) {
    this.#silenceTimeoutMs = silenceTimeoutMs
    this.#server = fields as unknown as SftpServer // parsed when the task was created
    this.#deps = deps
  }

  /** Name of the server, for example `sftp://host:2222`. */
  get name(): string {
    const { host, port } = this.#server
    const hostText = host.includes(':') ? `[${host.replace(/[[\]]/g, '')}]` : host
    return `sftp://${hostText}${port === 22 ? '' : `:${port}`}`
  }

  /** Opens a session for file operations. @throws RemoteError, AppError */
  openSession(): Promise<SFTPWrapper> {
    this.#session ??= this.#connect().catch((error: unknown) => {
      this.#session = undefined
      throw error
    })
    return this.#session
  }

  close(): void {
    this.#client?.end()
  }

  async #connect(): Promise<SFTPWrapper> {
    const { guardedHttp, signal } = this.#deps
    const { host, port } = this.#server
    const socket = await guardedHttp.connect(host, port, signal)
    this.#hasTimedOut = false
    const client = new Client()
    this.#client = client
    const destroyClient = () => client.destroy()
    signal.addEventListener('abort', destroyClient, { once: true })
    client.on('close', () => {
      signal.removeEventListener('abort', destroyClient)
      if (this.#client === client) this.#session = undefined
    })
    return this.#signIn(client, { sock: socket })
  }

  #signIn(client: ssh2.Client, socket: Pick<ConnectConfig, 'sock'>): Promise<SFTPWrapper> {
    return new Promise((resolve, reject) => {
      let refusal: RemoteError | undefined
      client.on('error', (error) => {
        reject(refusal ?? this.#toRemoteError(error))
        client.destroy()
      })
      client.on('close', () => {
        clearTimeout(timer)
        reject(
          this.#hasTimedOut
            ? this.#createTimeoutError()
            : new RemoteError('unreachable', `${this.name} closed the connection.`),
        )
      })
      let timer: NodeJS.Timeout | undefined
      client.on('ready', () => {
        useKeyObjects(client)
        timer = setTimeout(() => this.#destroyOnSilence(client), this.#silenceTimeoutMs)
        client.sftp((error, sftp) => {
          clearTimeout(timer)
          if (!error) {
            client.once(
              'close',
              limitSilence(sftp, this.#silenceTimeoutMs, () => this.#destroyOnSilence(client)),
            )
            return resolve(sftp)
          }
          reject(new RemoteError('forbidden', `${this.name} accepts the user but does not allow SFTP.`))
          client.end()
        })
      })
      const { username, password, private_key, passphrase } = this.#server
      // Many servers request the password interactively.
      client.on('keyboard-interactive', (_name, _what, _language, prompts, finish) =>
        finish(prompts.map(() => password ?? '')),
      )
      client.connect({
        ...socket,
        username,
        readyTimeout: readyTimeoutMs,
        keepaliveInterval: keepaliveIntervalMs,
        ...(password !== undefined && { password, tryKeyboard: true }),
        ...(private_key !== undefined && { privateKey: this.#readKey(private_key, passphrase) }),
        ...defined({ passphrase }),
        algorithms: { cipher: { prepend: [...fastCiphers], append: [], remove: [] } },
        hostVerifier: (key: Buffer) => {
          refusal = this.#hostKeyRefusal(key)
          return refusal === undefined
        },
      })
    })
  }

  #destroyOnSilence(client: ssh2.Client): void {
    this.#hasTimedOut = true
    client.destroy()
  }

  #createTimeoutError(cause?: unknown): RemoteError {
    const seconds = Math.round(this.#silenceTimeoutMs / 1000)
    return new RemoteError('unreachable', `${this.name} did not respond for ${seconds} s.`, { cause })
  }

  #readKey(text: string, passphrase: string | undefined): string {
    const parsedKey = utils.parseKey(text, passphrase)
    if (!(parsedKey instanceof Error)) return text
    const isPassphraseError = /passphrase|encrypted|decrypt|integrity|bad/i.test(parsedKey.message)
    const explanation = isPassphraseError
      ? passphrase === undefined
        ? 'it is encrypted, and passphrase is missing'
        : 'the passphrase is wrong'
      : 'expected an OpenSSH, PEM or PuTTY key'
    throw new RemoteError('forbidden', `private_key cannot be read: ${explanation}.`)
  }

  #hostKeyRefusal(key: Buffer): RemoteError | undefined {
    const { host_key_fingerprint: expectedFingerprint } = this.#server
    const actualFingerprint = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`
    if (expectedFingerprint === undefined || expectedFingerprint.replace(/=+$/, '') === actualFingerprint)
      return undefined
    const sentence = `The host key of ${this.name} is ${actualFingerprint}, which does not match host_key_fingerprint.`
    return new RemoteError('host-key', sentence, { fingerprint: actualFingerprint })
  }

  #toRemoteError(error: Error & { level?: string }): RemoteError {
    const { username } = this.#server
    if (error.level === 'client-authentication')
      return new RemoteError('forbidden', `${this.name} rejected the password or key of ${username}.`)
    if (error.level === 'handshake')
      return new RemoteError(
        'unreachable',
        `${this.name} supports no encryption algorithm that this service supports.`,
        {
          isTransient: false,
          cause: error,
        },
      )
    const hasTimedOut = error.level === 'client-timeout'
    const problem = hasTimedOut ? 'did not respond in time' : 'closed the connection'
    return new RemoteError('unreachable', `${this.name} ${problem}.`, { cause: error })
  }

  /** Maps an error of the server to one that names the file. */
  toError(error: unknown, path: string): RemoteError | AppError {
    if (error instanceof RemoteError || error instanceof AppError) return error
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const location = `${this.name}/${path.replace(/^\//, '')}`
    if (code === utils.sftp.STATUS_CODE.NO_SUCH_FILE)
      return new RemoteError('not-found', `${location} does not exist.`, { cause: error })
    if (code === utils.sftp.STATUS_CODE.PERMISSION_DENIED)
      return new RemoteError('forbidden', `The server denied access to ${location}.`, { cause: error })
    if (typeof code === 'number' && code !== utils.sftp.STATUS_CODE.CONNECTION_LOST)
      return new RemoteError('status', `The server failed at ${location} (SFTP status ${code}).`, {
        cause: error,
        status: code,
      })
    if (this.#hasTimedOut) return this.#createTimeoutError(error)
    return new RemoteError('incomplete', `The connection to ${this.name} was lost.`, { cause: error })
  }
}

/** Internal fields in which the library stores its keys as bytes, again after each key exchange. */
interface Ciphers {
  readonly _protocol?: {
    readonly _cipher?: { _encKey?: unknown }
    readonly _decipher?: { _decipherKey?: unknown }
  }
}

/**
 * The library passes the key bytes to Node with each packet, and importing them takes Node 24 longer than encrypting.
 * Key objects avoid that.
 */
function useKeyObjects(client: ssh2.Client): void {
  const { _cipher: cipher, _decipher: decipher } = (client as Ciphers)._protocol ?? {} // internals, not in the types
  if (Buffer.isBuffer(cipher?._encKey)) cipher._encKey = createSecretKey(cipher._encKey)
  if (Buffer.isBuffer(decipher?._decipherKey)) decipher._decipherKey = createSecretKey(decipher._decipherKey)
}
