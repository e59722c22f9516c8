import type { PlanId } from '../plans.ts'

/** Who sends a request and what he may do. HTTP, WebSockets and tickets know nobody by anything else. */
export interface Principal {
  /** Whom jobs, uploads, webhooks and workflows belong to: an account, or an identity that was handed out. */
  readonly ownerId: string
  readonly kind: 'anonymous' | 'session' | 'key' | 'token'
  readonly plan: PlanId
  readonly role: Role
  readonly scopes: ReadonlySet<Scope>
  /** What requests are counted by: a key, a session, a client, or the address of whoever has none of them. */
  readonly limiterKey: string
  /** An anonymous identity that this request's reply hands out, if it makes something. */
  readonly isNew?: true
  /** The API key or the client that it came by. */
  readonly keyId?: string
  /** Ids of keys that the one of `keyId` took the place of. */
  readonly earlierKeyIds?: readonly string[]
  /** Came by a key that anybody can read in a web page: it sees what was made by it, and no lists. */
  readonly isPublic?: true
}

/** As much of a request, or of the handshake of a WebSocket, as tells who sends it. */
export interface Credentials {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** `name=value` each. */
  readonly cookies?: readonly string[] | undefined
  readonly method: string
  /** Of the client, proxies of ours left out. */
  readonly sourceIp: string
}

export type Role = 'USER' | 'ADMIN'

/** What keys and tokens can be given (interface, Authentication). */
export const grantedScopes = ['CONVERT_READ', 'CONVERT_WRITE', 'WEBHOOKS_MANAGE', 'ACCOUNT_READ'] as const
export type GrantedScope = (typeof grantedScopes)[number]

/**
 * `ACCOUNT_MANAGE` is for the person: profile, keys, clients, sessions. `ADMIN` is for administrators. Both come with a
 * session and with nothing else, so that no key can make another.
 */
export const scopes = [...grantedScopes, 'ACCOUNT_MANAGE', 'ADMIN'] as const
export type Scope = (typeof scopes)[number]

const allScopes: ReadonlySet<Scope> = new Set(scopes)
const userScopes: ReadonlySet<Scope> = new Set(scopes.filter((scope) => scope !== 'ADMIN'))

/** What a signed-in person may do. */
export const scopesOfRole = (role: Role): ReadonlySet<Scope> => (role === 'ADMIN' ? allScopes : userScopes)

/** Who may send a request. */
export interface Access {
  /** Each is needed, of those who say who they are. */
  readonly scopes: readonly Scope[]
  /** Without saying who one is: anybody, or only where the service is one's own (the plan `self-hosted`). */
  readonly anonymous?: true | 'self-hosted'
  /** It lists what an owner has, which is nothing for a key in a web page. */
  readonly lists?: true
}

/** What describes the service itself: nobody is asked who he is, and nothing is counted. */
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
/** What was used, which the owner of the service sees without an account. */
export const usageReadAccess = {
  scopes: ['ACCOUNT_READ'],
  anonymous: 'self-hosted',
} as const satisfies Access
export const driveAccess = workflowAccess
export const accountReadAccess = { scopes: ['ACCOUNT_READ'] } as const satisfies Access
export const accountManageAccess = { scopes: ['ACCOUNT_MANAGE'] } as const satisfies Access
export const adminAccess = { scopes: ['ADMIN'] } as const satisfies Access

/** Asks nobody who he is. */
export const isOpenAccess = ({ scopes: needed, anonymous }: Access) =>
  needed.length === 0 && anonymous === true
