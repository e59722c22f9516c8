import type { DriveId } from '../../component-ids.ts'
import { AppError, type ErrorCode } from '../../errors.ts'
import { quoteId } from '../../ids.ts'
import type { Services } from '../../services/services.ts'
import { defined } from '../../validation/defined.ts'
import { RemoteError } from '../remote-error.ts'
import {
  consentLifetimeMinutes,
  type DriveConnection,
  DriveConnections,
  maxConnections,
  newState,
} from './connections.ts'
import type { Drive, DriveAccessLevel, DriveRequest } from './drive.ts'
import {
  type ClientRegistration,
  createAuthorizationUrl,
  exchangeCode,
  isOAuthRefusal,
  type OAuthTokens,
  refreshTokens,
} from './drive-oauth.ts'
import { createDriveRequest } from './drive-request.ts'
import { getDrive } from './index.ts'

/** How long a token must still be valid, in milliseconds: for browsing, and for files that a task transfers. */
export const minTokenLifetimesMs = { browse: 60_000, transfer: 20 * 60_000 } as const

/**
 * Accesses one kind of drive on behalf of owners, as the client that the operator registered with the drive's provider.
 */
export class DriveService {
  readonly drive: Drive
  readonly #services: Services
  readonly #registration: ClientRegistration
  readonly #origins: readonly string[]
  readonly #connections: DriveConnections

  /** Creates the service for a drive. @throws AppError DRIVE_NOT_CONFIGURED */
  constructor(id: DriveId, services: Services) {
    const registeredClient = services.config.DRIVES?.[id]
    this.drive = getDrive(id)
    if (!registeredClient)
      throw new AppError(
        'DRIVE_NOT_CONFIGURED',
        `${this.drive.title} is not configured: the operator has to add a client id and secret to DRIVES.`,
        { drive: id },
      )
    const { clientId, clientSecret, endpoints, origins = [] } = registeredClient
    const overrides = Object.entries(endpoints ?? {}).filter(([, urlText]) => urlText !== undefined)
    this.#registration = {
      clientId,
      clientSecret,
      endpoints: { ...this.drive.endpoints, ...Object.fromEntries(overrides) },
    }
    this.#origins = [services.config.PUBLIC_URL ?? '', ...origins]
      .filter((urlText) => URL.canParse(urlText))
      .map((urlText) => new URL(urlText).origin)
    this.#services = services
    this.#connections = new DriveConnections(services)
  }

  get #callbackUrl(): string {
    return `${this.#services.config.PUBLIC_URL ?? ''}/v1/cloud/${this.drive.id}/callback`
  }

  /** Starts an authorization. Returns the URL to which the drive's owner has to be redirected. */
  async startAuthorization(
    owner: string,
    {
      redirectUri,
      clientState,
      access = 'read',
    }: {
      readonly redirectUri?: string | undefined
      readonly clientState?: string | undefined
      readonly access?: DriveAccessLevel
    },
  ) {
    if (redirectUri !== undefined) this.#requireAllowedRedirect(redirectUri)
    const state = newState()
    const { scopes, authorizationParameters: extraParameters, id: drive } = this.drive
    const request = { redirectUri: this.#callbackUrl, state, scope: scopes[access], extraParameters }
    const { url, verifier } = await createAuthorizationUrl(
      this.#registration,
      await this.#services.guardedHttp(),
      request,
    )
    const expiresAt = new Date(Date.now() + consentLifetimeMinutes * 60_000).toISOString()
    await this.#connections.storePending(state, {
      owner,
      drive,
      access,
      verifier,
      expiresAt,
      ...defined({ redirectUri, clientState }),
    })
    return { authorizationUrl: url, state, expiresAt }
  }

  /** Only allows pages of the configured origins, which prevents open redirects. */
  #requireAllowedRedirect(redirectUri: string): void {
    if (this.#origins.includes(new URL(redirectUri).origin)) return
    throw new AppError(
      'INVALID_INPUT',
      `redirectUri: expected a page of ${this.#origins.join(' or ')}, got "${redirectUri.slice(0, 200)}".`,
      { field: 'redirectUri', expected: this.#origins },
    )
  }

  /** Returns the pending authorization when the drive's owner comes back. Each state works only once. */
  async requirePending(owner: string, state: string) {
    const pendingConnection = await this.#connections.takePending(state)
    if (!pendingConnection || pendingConnection.drive !== this.drive.id)
      throw new AppError(
        'INVALID_INPUT',
        `state: expected the state of an unfinished authorization that started less than ${consentLifetimeMinutes} minutes ago. Start again.`,
        { field: 'state' },
      )
    // Without this check, an attacker could make others connect their drives to the attacker's account.
    if (pendingConnection.owner !== owner)
      throw new AppError(
        'INSUFFICIENT_PERMISSIONS',
        'The authorization was started by another user. Start and finish it in the same browser, signed in as the same user.',
      )
    return pendingConnection
  }

  /** Completes an authorization. @throws AppError DRIVE_NOT_CONNECTED if the owner did not consent. */
  async connect(
    owner: string,
    callbackQuery: Readonly<Record<string, string | undefined>>,
    {
      verifier,
      state,
      access,
    }: { readonly verifier: string; readonly state: string; readonly access: DriveAccessLevel },
  ): Promise<DriveConnection> {
    const http = await this.#services.guardedHttp()
    const url = new URL(this.#callbackUrl)
    for (const [name, value] of Object.entries(callbackQuery))
      if (value !== undefined) url.searchParams.set(name, value)
    const tokens = await this.#requestTokens(() =>
      exchangeCode(this.#registration, http, url, { verifier, state }),
    )
    const { api } = this.#registration.endpoints
    const account = await mapErrors(() =>
      this.drive.account(createDriveRequest(http, this.drive, api, tokens.access)),
    )
    const connection = await this.#connections.create(owner, {
      drive: this.drive.id,
      account,
      tokens,
      access,
    })
    if (connection) return connection
    throw new AppError(
      'CONFLICT',
      `You have reached the limit of ${maxConnections} connected drives. Disconnect one that you no longer use.`,
      { max: maxConnections },
    )
  }

  async #requestTokens<T>(request: () => Promise<T>, code?: ErrorCode): Promise<T> {
    try {
      return await request()
    } catch (error) {
      if (!isOAuthRefusal(error)) throw toAppError(error, code)
      throw this.#createNotConnectedError(`${this.drive.title} denied access to this service.`, error)
    }
  }

  #createNotConnectedError(explanation: string, cause?: unknown, query = ''): AppError {
    const drive = this.drive.id
    return new AppError(
      'DRIVE_NOT_CONNECTED',
      `${explanation} Connect the drive with GET /v1/cloud/${drive}/auth${query}.`,
      { drive },
      { cause },
    )
  }

  /** Returns a connection. @throws AppError DRIVE_NOT_CONNECTED unless it is the owner's connection to this drive. */
  async requireConnection(
    owner: string,
    id: string,
    access: DriveAccessLevel = 'read',
  ): Promise<DriveConnection> {
    const foundConnection = await this.#connections.find(id)
    if (foundConnection?.owner !== owner || foundConnection.drive !== this.drive.id)
      throw this.#createNotConnectedError(`You have no connection ${quoteId(id)} to ${this.drive.title}.`)
    if (access === 'write' && foundConnection.access === 'read')
      throw this.#createNotConnectedError(
        `The connection ${quoteId(id)} may only read ${this.drive.title}.`,
        undefined,
        '?access=write',
      )
    return foundConnection
  }

  /** Runs `work` with access to the drive. @param minLifetimeMs how long the access token must stay valid. */
  async use<T>(
    connection: DriveConnection,
    minLifetimeMs: number,
    action: (request: DriveRequest) => Promise<T>,
  ): Promise<T> {
    const http = (await this.#services.guardedHttp()).forOwner(connection.owner)
    const { access } = await this.#getTokens(connection, minLifetimeMs)
    return mapErrors(() =>
      action(createDriveRequest(http, this.drive, this.#registration.endpoints.api, access)),
    )
  }

  /** Returns what a task needs to store files in a folder. @throws AppError EXPORT_FAILED for a missing folder */
  async openFolder(connection: DriveConnection, folderId: string) {
    const http = (await this.#services.guardedHttp()).forOwner(connection.owner)
    const { access: token } = await this.#getTokens(connection, minTokenLifetimesMs.transfer, 'EXPORT_FAILED')
    const { api, upload } = this.#registration.endpoints
    const request = createDriveRequest(http, this.drive, api, token)
    const folder = await mapErrors(() => this.drive.findFolder(request, folderId), 'EXPORT_FAILED')
    return { drive: this.drive.id, api, upload, token, folder }
  }

  async #getTokens(
    connection: DriveConnection,
    minLifetimeMs: number,
    code?: ErrorCode,
  ): Promise<OAuthTokens> {
    const tokens = this.#connections.unsealTokens(connection)
    if (tokens.expiresAt > Date.now() + minLifetimeMs) return tokens
    if (tokens.refresh === undefined) {
      if (tokens.expiresAt > Date.now()) return tokens
      throw this.#createNotConnectedError(`The permission for ${this.drive.title} has expired.`)
    }
    const http = await this.#services.guardedHttp()
    const renewedTokens = await this.#requestTokens(
      () => refreshTokens(this.#registration, http, tokens),
      code,
    )
    await this.#connections.updateTokens(connection, renewedTokens)
    return renewedTokens
  }

  disconnect(connection: DriveConnection): Promise<boolean> {
    return this.#connections.remove(connection)
  }
}

async function mapErrors<T>(call: () => Promise<T>, code: ErrorCode = 'IMPORT_FAILED'): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw toAppError(error, code)
  }
}

/** Maps errors of the drive to the error code of a failed transfer. */
function toAppError(error: unknown, code: ErrorCode = 'IMPORT_FAILED'): unknown {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof AppError) return at
    if (at instanceof RemoteError) return new AppError(code, at.message, at.details, { cause: error })
  }
  return error
}
