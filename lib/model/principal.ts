import type { PlanId } from '../plans.ts'

/** The sender of a request and their permissions, for HTTP, WebSockets and tickets. */
export interface Principal {
  /** Owner of jobs, uploads, webhooks and workflows: an account or an anonymous identity. */
  readonly ownerId: string
  readonly kind: 'anonymous' | 'session' | 'key' | 'token'
  readonly plan: PlanId
  readonly role: Role
  readonly scopes: ReadonlySet<Scope>
  /**
   * Name under which requests are counted: a key, an account, an OAuth client, or the IP address of an anonymous
   * client.
   */
  readonly limiterKey: string
  /** Set for a new anonymous identity, which the reply sends if the request creates something. */
  readonly isNew?: true
  /** Id of the API key or OAuth client that authenticated the request. */
  readonly keyId?: string
  /** Ids of the keys that `keyId` replaced. */
  readonly earlierKeyIds?: readonly string[]
  /**
   * Set if a public key authenticated the request. Anyone can read such a key in a web page, so it only gives access to
   * jobs and uploads that were created with it, and to no lists.
   */
  readonly isPublic?: true
  /**
   * Credential of the client, for connections that outlive the request. Anonymous principals have none, because their
   * tokens cannot be revoked.
   */
  readonly credential?: Credential
}

/** Keys of the records that must exist and be active as long as the principal has access. */
export type Credential = readonly { readonly pk: string; readonly sk: string }[]

/** The parts of a request or WebSocket handshake needed for authentication. */
export interface Credentials {
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Cookies in the form `name=value`. */
  readonly cookies?: readonly string[] | undefined
  readonly method: string
  /** IP address of the client, not of a trusted proxy. */
  readonly sourceIp: string
}

type Role = 'USER' | 'ADMIN'

/** Scopes that keys and tokens can have (API specification, Authentication). */
export const grantedScopes = ['CONVERT_READ', 'CONVERT_WRITE', 'WEBHOOKS_MANAGE', 'ACCOUNT_READ'] as const
export type GrantedScope = (typeof grantedScopes)[number]

/**
 * All scopes. `ACCOUNT_MANAGE` is for account owners: profile, keys, clients, sessions. `ADMIN` is for administrators.
 * Only sessions have these two, so that a key cannot create other keys.
 */
export const scopes = [...grantedScopes, 'ACCOUNT_MANAGE', 'ADMIN'] as const
type Scope = (typeof scopes)[number]

const allScopes: ReadonlySet<Scope> = new Set(scopes)
const userScopes: ReadonlySet<Scope> = new Set(scopes.filter((scope) => scope !== 'ADMIN'))

/** Returns the scopes of a signed-in user. */
export const getScopesOfRole = (role: Role): ReadonlySet<Scope> => (role === 'ADMIN' ? allScopes : userScopes)

/** Who may send a request. */
export interface Access {
  /** Scopes that authenticated clients need; they need all of these. */
  readonly scopes: readonly Scope[]
  /** Whether anonymous clients have access: always, or only on a self-hosted service (plan `self-hosted`). */
  readonly anonymous?: true | 'self-hosted'
  /** Set if the endpoint lists resources of the owner, which public keys may not do. */
  readonly lists?: true
}

/** Access to endpoints that describe the service, without authentication and rate limits. */
export const openAccess = { scopes: [], anonymous: true } as const satisfies Access
export const readAccess = { scopes: ['CONVERT_READ'], anonymous: true } as const satisfies Access
export const listAccess = { ...readAccess, lists: true } as const satisfies Access
export const writeAccess = { scopes: ['CONVERT_WRITE'], anonymous: true } as const satisfies Access
export const webhookAccess = {
  scopes: ['WEBHOOKS_MANAGE'],
  anonymous: 'self-hosted',
} as const satisfies Access
export const workflowReadAccess = {
  scopes: ['CONVERT_READ'],
  anonymous: 'self-hosted',
  lists: true,
} as const satisfies Access
export const workflowAccess = {
  scopes: ['CONVERT_WRITE'],
  anonymous: 'self-hosted',
  lists: true,
} as const satisfies Access
/** Access to usage, which a self-hosted service shows without an account. */
export const usageReadAccess = {
  scopes: ['ACCOUNT_READ'],
  anonymous: 'self-hosted',
} as const satisfies Access
export const driveAccess = workflowAccess
export const accountReadAccess = { scopes: ['ACCOUNT_READ'] } as const satisfies Access
export const accountManageAccess = { scopes: ['ACCOUNT_MANAGE'] } as const satisfies Access
export const adminAccess = { scopes: ['ADMIN'] } as const satisfies Access

/** Whether an endpoint needs no authentication. */
export const isOpenAccess = ({ scopes: needed, anonymous }: Access) =>
  needed.length === 0 && anonymous === true
