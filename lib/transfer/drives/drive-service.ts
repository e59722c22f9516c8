import { AppError } from '../../errors.ts'
import { quoteId } from '../../ids.ts'
import type { Services } from '../../services.ts'
import { RemoteError } from '../remote-error.ts'
import { type Connection, Connections, minutesToAgree, mostConnections, newState } from './connections.ts'
import type { Ask, Drive, DriveId } from './drive.ts'
import { isRefusal, question, type Registration, refreshed, type Tokens, tokensFor } from './drive-oauth.ts'
import { asking } from './drive-request.ts'
import { driveOf } from './index.ts'

/** Milliseconds that a token has to hold for a look, and for a file that is fetched later. */
export const holds = { look: 60_000, import: 20 * 60_000 } as const

/** A drive as this service is known to it, and what owners do with it. */
export class Driving {
  readonly drive: Drive
  readonly #services: Services
  readonly #registration: Registration
  readonly #origins: readonly string[]
  readonly #connections: Connections

  /** @throws AppError DRIVE_NOT_CONFIGURED */
  constructor(id: DriveId, services: Services) {
    const configured = services.config.DRIVES?.[id]
    this.drive = driveOf(id)
    if (!configured)
      throw new AppError(
        'DRIVE_NOT_CONFIGURED',
        `This service imports nothing from ${this.drive.title}: whoever runs it names a client id and secret in DRIVES.`,
        { drive: id },
      )
    const { clientId, clientSecret, endpoints, origins = [] } = configured
    const given = Object.entries(endpoints ?? {}).filter(([, address]) => address !== undefined)
    this.#registration = {
      ...{ clientId, clientSecret },
      endpoints: { ...this.drive.endpoints, ...Object.fromEntries(given) },
    }
    this.#origins = [services.config.PUBLIC_URL ?? '', ...origins]
      .filter((address) => URL.canParse(address))
      .map((address) => new URL(address).origin)
    this.#services = services
    this.#connections = new Connections(services)
  }

  get #callback(): string {
    return `${this.#services.config.PUBLIC_URL ?? ''}/v1/cloud/${this.drive.id}/callback`
  }

  /** Where the owner of a drive is to be sent. */
  async begin(
    owner: string,
    { redirectUri, clientState }: { redirectUri?: string | undefined; clientState?: string | undefined },
  ) {
    if (redirectUri !== undefined) this.#requireOwnPage(redirectUri)
    const state = newState()
    const { scope, authorizeWith: more, id: drive } = this.drive
    const asked = { redirectUri: this.#callback, state, scope, more }
    const { url, verifier } = await question(this.#registration, await this.#services.guardedHttp(), asked)
    const expiresAt = new Date(Date.now() + minutesToAgree * 60_000).toISOString()
    await this.#connections.begin(state, {
      ...{ owner, drive, verifier, expiresAt },
      ...(redirectUri !== undefined && { redirectUri }),
      ...(clientState !== undefined && { clientState }),
    })
    return { authorizationUrl: url, state, expiresAt }
  }

  /** Nobody is led from here to a page of a stranger. */
  #requireOwnPage(redirectUri: string): void {
    if (this.#origins.includes(new URL(redirectUri).origin)) return
    throw new AppError(
      'INVALID_INPUT',
      `redirectUri: expected a page of ${this.#origins.join(' or ')}, got "${redirectUri.slice(0, 200)}".`,
      { field: 'redirectUri', expected: this.#origins },
    )
  }

  /** Who sent the owner of a drive away, as he comes back. Each state leads back once. */
  async returned(owner: string, state: string) {
    const pending = await this.#connections.claim(state)
    if (!pending || pending.drive !== this.drive.id)
      throw new AppError(
        'INVALID_INPUT',
        `state: expected that of an authorization that began less than ${minutesToAgree} minutes ago and is not over. Begin again.`,
        { field: 'state' },
      )
    // Else somebody could have others connect their drives to him.
    if (pending.owner !== owner)
      throw new AppError(
        'INSUFFICIENT_PERMISSIONS',
        'The drive was to be connected for somebody else. Begin and end in the same browser, signed in as the same person.',
      )
    return pending
  }

  /** @throws AppError DRIVE_NOT_CONNECTED when its owner did not agree. */
  async connect(
    owner: string,
    came: Readonly<Record<string, string | undefined>>,
    { verifier, state }: { readonly verifier: string; readonly state: string },
  ): Promise<Connection> {
    const outgoing = await this.#services.guardedHttp()
    const url = new URL(this.#callback)
    for (const [name, value] of Object.entries(came))
      if (value !== undefined) url.searchParams.set(name, value)
    const tokens = await this.#permitted(() =>
      tokensFor(this.#registration, outgoing, url, { verifier, state }),
    )
    const { api } = this.#registration.endpoints
    const account = await inWordsOfClients(() =>
      this.drive.account(asking(outgoing, this.drive, api, tokens.access)),
    )
    const connection = await this.#connections.create(owner, { drive: this.drive.id, account, tokens })
    if (connection) return connection
    throw new AppError(
      'CONFLICT',
      `There are ${mostConnections} connected drives, as many as one may have. Disconnect one that is not used any more.`,
      { max: mostConnections },
    )
  }

  async #permitted<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      if (!isRefusal(error)) throw asAppError(error)
      throw this.#notConnected(`${this.drive.title} did not let this service in.`, error)
    }
  }

  #notConnected(why: string, cause?: unknown): AppError {
    const drive = this.drive.id
    return new AppError(
      'DRIVE_NOT_CONNECTED',
      `${why} Connect the drive by GET /v1/cloud/${drive}/auth.`,
      { drive },
      { cause },
    )
  }

  /** @throws AppError DRIVE_NOT_CONNECTED for a connection that is not one of the owner to this drive. */
  async connection(owner: string, id: string): Promise<Connection> {
    const found = await this.#connections.find(id)
    if (found?.owner === owner && found.drive === this.drive.id) return found
    throw this.#notConnected(`You have no connection ${quoteId(id)} to ${this.drive.title}.`)
  }

  /** Does something in the drive. @param forMs the access token is to hold so long. */
  async use<T>(connection: Connection, forMs: number, work: (ask: Ask) => Promise<T>): Promise<T> {
    const outgoing = (await this.#services.guardedHttp()).for(connection.owner)
    const { access } = await this.#tokens(connection, forMs)
    return inWordsOfClients(() =>
      work(asking(outgoing, this.drive, this.#registration.endpoints.api, access)),
    )
  }

  async #tokens(connection: Connection, forMs: number): Promise<Tokens> {
    const tokens = this.#connections.tokensOf(connection)
    if (tokens.expiresAt > Date.now() + forMs) return tokens
    if (tokens.refresh === undefined) {
      if (tokens.expiresAt > Date.now()) return tokens
      throw this.#notConnected(`The permission of ${this.drive.title} has expired.`)
    }
    const outgoing = await this.#services.guardedHttp()
    const renewed = await this.#permitted(() => refreshed(this.#registration, outgoing, tokens))
    await this.#connections.keep(connection, renewed)
    return renewed
  }

  disconnect(connection: Connection): Promise<boolean> {
    return this.#connections.remove(connection)
  }
}

async function inWordsOfClients<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asAppError(error)
  }
}

/** What the other side did wrong, as a failed import has it. */
function asAppError(error: unknown): unknown {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof AppError) return at
    if (at instanceof RemoteError)
      return new AppError('IMPORT_FAILED', at.message, at.details, { cause: error })
  }
  return error
}
