import type { SubscriberKind } from '../../events/index.ts'
import type { ImageId } from '../component-ids.ts'
import type { EventSelector } from './events.ts'
import type { Permission } from './permissions.ts'
import type { QueueId } from './queues.ts'

/** What invokes a function. */
export type Trigger =
  /** Routes of the HTTP API, such as `GET /items/{id}` or `ANY /files/{path+}`; `true` means the default route. */
  | { readonly http: true | readonly string[] }
  | { readonly schedule: string }
  /** Events of the event bus with these names: all, or only those with a subscriber of the kind `for`. */
  | { readonly events: readonly EventSelector[]; readonly for?: SubscriberKind }
  /** Messages of a queue */
  | { readonly queue: QueueId }
  /** Files that are created in the bucket below this prefix. */
  | { readonly uploads: string }
  /** Routes of the WebSocket API: `$connect`, `$disconnect`, `$default` and action names. */
  | { readonly websocket: readonly string[] }
  /** Invocations by the operator of the service only */
  | { readonly operator: true }

/** Targets outside the closed network, with the reason why a function needs each. */
export const outboundReasons = {
  stores: 'transfers files from and to URLs that users specify',
  websites: 'captures websites at URLs that users specify',
  receivers: 'calls webhooks at URLs that users specify',
  drives: 'calls the APIs of cloud drives',
  'sign-in': 'calls the OpenID providers that the operator configures',
  mail: 'sends email through the mail server that the operator configures',
  sockets: 'AWS has no VPC endpoint for the connections of a WebSocket API',
} as const
export type OutboundTarget = keyof typeof outboundReasons

/** Settings that only certain functions may read; on AWS, each is an object in the bucket of secrets. */
export const secretNames = [
  'SERVICE_SECRET',
  'TASK_KEY',
  'WEBHOOK_KEY',
  'DOWNLOAD_KEY',
  'CDN_PRIVATE_KEY',
  'SMTP_URL',
  'OPENID_PROVIDERS',
  'DRIVES',
  'ORIGIN_SECRET',
] as const
export type SecretName = (typeof secretNames)[number]

export interface FunctionDeclaration {
  readonly handler: string
  readonly memoryMb: number
  readonly timeoutS: number
  readonly trigger: Trigger
  /** Permissions of the function, in addition to writing its log and receiving from its trigger. */
  readonly rights: readonly Permission[]
  /** Container image of the function; by default, it is a zip package. */
  readonly image?: ImageId
  /** Size of /tmp in MB; by default 512, or for a container image the size that its engines need. */
  readonly diskMb?: number
  /** Secrets that the function reads when it starts. */
  readonly secrets?: readonly SecretName[]
  /**
   * Targets on the internet. Without any, the function runs in the closed network and only reaches the service itself.
   */
  readonly reaches?: readonly OutboundTarget[]
  /**
   * Maximum number of concurrent invocations, so that an attack costs a limited amount and one function cannot starve
   * other functions. For a function without a queue, the concurrency is also reserved. Conversions use the stage's
   * `conversionsAtATime`.
   */
  readonly maximumConcurrency?: number
  /** The function inspects users' files, so it includes format detection. */
  readonly readsFiles?: true
  /** The function plans conversions, so it includes the capabilities of all engines. */
  readonly plans?: true
  /** Number of retries of a failed asynchronous invocation; 2 by default, as on Lambda. */
  readonly retryAttempts?: 0 | 1 | 2
  /** Asynchronous invocations that fail after all retries are sent to the queue `<name>-dead`. */
  readonly deadLetter?: true
  /**
   * Messages of the function cause further messages for itself: tasks that follow each other, and retries. Lambda would
   * stop such a chain after 16 invocations; the service limits it by `maxHops`.
   */
  readonly recurs?: true
  /** The function is only deployed in stages with this setting. */
  readonly onlyWith?: 'facades'
}

/** Returns the secrets that a function reads. Behind CloudFront, they include the secret header of the distribution. */
export const getSecretNames = ({ secrets = [], trigger }: FunctionDeclaration): readonly SecretName[] =>
  'http' in trigger || 'websocket' in trigger ? [...secrets, 'ORIGIN_SECRET'] : secrets
