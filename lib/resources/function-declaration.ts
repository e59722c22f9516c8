import type { SubscriberKind } from '../../events/index.ts'
import type { ImageId } from '../component-ids.ts'
import type { EventSelector } from './events.ts'
import type { Permission } from './permissions.ts'
import type { QueueId } from './queues.ts'

/** What invokes a function. */
export type Trigger =
  /** Routes of the HTTP API, such as `GET /items/{id}` or `ANY /files/{path+}`; `true` is the default route. */
  | { readonly http: true | readonly string[] }
  | { readonly schedule: string }
  /** Events of the event bus: all with these names, or only those with a subscriber of the kind `for`. */
  | { readonly events: readonly EventSelector[]; readonly for?: SubscriberKind }
  /** Messages of a queue. */
  | { readonly queue: QueueId }
  /** Files that are created in the bucket below this prefix. */
  | { readonly uploads: string }
  /** Routes of the WebSocket API: `$connect`, `$disconnect`, `$default` and action names. */
  | { readonly websocket: readonly string[] }
  /** Only the operator of the service. */
  | { readonly operator: true }

/** Targets outside of the closed network, with the reason why a function needs them. */
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

/** Settings that only the functions that need them may read; on AWS each is an object in the bucket of secrets. */
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
  /** Permissions in addition to writing its log and receiving from its trigger. */
  readonly rights: readonly Permission[]
  /** The container image in which it runs; a zip package by default. */
  readonly image?: ImageId
  /** Size of /tmp in MB. Default: 512, or in an image as much as its engines need. */
  readonly diskMb?: number
  /** Secrets that it reads when it starts. */
  readonly secrets?: readonly SecretName[]
  /**
   * Targets that need internet access; without any, it runs in the closed network and only reaches the service itself.
   */
  readonly reaches?: readonly OutboundTarget[]
  /**
   * Concurrent invocations, so that an attack costs a limited amount and one function cannot starve the others. For a
   * function with a queue it is a maximum; for others it is also reserved. Conversions use the stage's
   * `conversionsAtATime`.
   */
  readonly maximumConcurrency?: number
  /** It inspects users' files, so it includes format detection. */
  readonly readsFiles?: true
  /** It plans conversions, so it includes the capabilities of all engines. */
  readonly plans?: true
  /** Retries of a failed asynchronous invocation; 2 by default, as on Lambda. */
  readonly retryAttempts?: 0 | 1 | 2
  /** Asynchronous invocations that fail after all retries go to the queue `<name>-dead`. */
  readonly deadLetter?: true
  /**
   * Its messages cause further ones for itself: tasks that follow each other, retries. Lambda would stop such a chain
   * after 16 invocations; ours is bounded by `maxHops`.
   */
  readonly recurs?: true
  /** It is only deployed in stages with this setting. */
  readonly onlyWith?: 'facades'
}

/** Returns the secrets that a function reads; behind CloudFront these include the secret header of the distribution. */
export const getSecretNames = ({ secrets = [], trigger }: FunctionDeclaration): readonly SecretName[] =>
  'http' in trigger || 'websocket' in trigger ? [...secrets, 'ORIGIN_SECRET'] : secrets
