import type { SubscriberKind } from '../../events/index.ts'
import type { ImageId } from '../engines/engine.ts'
import type { Permission } from '../permissions.ts'
import type { EventSelector } from './events.ts'
import type { QueueId } from './queues.ts'

/** What calls a function. */
export type Trigger =
  /** Routes of the HTTP API, as `GET /items/{id}`, `ANY /files/{path+}`; `true` takes what no other function has. */
  | { readonly http: true | readonly string[] }
  | { readonly schedule: string }
  /** Events of the bus that it listens to: all of them, or those that somebody outside wants to hear by this way. */
  | { readonly events: readonly EventSelector[]; readonly for?: SubscriberKind }
  /** Tasks of a queue. */
  | { readonly queue: QueueId }
  /** Files that arrive in the bucket below this prefix. */
  | { readonly uploads: string }
  /** Routes of the WebSocket API: `$connect`, `$disconnect`, `$default` and names. */
  | { readonly websocket: readonly string[] }
  /** Nobody but who runs the service. */
  | { readonly operator: true }

/** What is reached by a way out of the closed network alone, and why. */
export const outboundReasons = {
  stores: 'files come from and go to addresses that users name',
  websites: 'websites are captured at addresses that users name',
  receivers: 'webhooks are called at addresses that users name',
  drives: 'drives are asked at addresses of their makers',
  'sign-in': 'people sign in by OpenID providers that the operator names',
  mail: 'letters go by the mail server that the operator names',
  sockets: 'AWS has no endpoint in a network for the connections of a WebSocket API',
} as const
export type OutboundTarget = keyof typeof outboundReasons

/** Settings that nobody but the functions that need them may read; on AWS each is an object of a bucket of their own. */
export const secretNames = [
  'SERVICE_SECRET',
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
  /** Beyond writing its log and what its trigger takes. */
  readonly rights: readonly Permission[]
  /** The image in which it runs; a zip package when left out. */
  readonly image?: ImageId
  /** MB of /tmp; 512 when left out, and what the engines ask for in an image. */
  readonly diskMb?: number
  /** Those that it reads when it starts. */
  readonly secrets?: readonly SecretName[]
  /** What it has a way out for; without any it is in the closed network, and reaches the parts of the service alone. */
  readonly reaches?: readonly OutboundTarget[]
  /**
   * Invocations at a time, so that an attack costs a bounded sum and nobody takes what the others need. Fed by a queue it has
   * no more; any other has as many kept for it, too. Those of tasks have what the stage says (`conversionsAtATime`).
   */
  readonly maximumConcurrency?: number
  /** It looks into files of users: it has what tells formats apart. */
  readonly readsFiles?: true
  /** It plans conversions, so that it knows of all engines. */
  readonly plans?: true
  /** Times that an asynchronous invocation is repeated after an error; 2 when left out, as on Lambda. */
  readonly retryAttempts?: 0 | 1 | 2
  /** Asynchronous invocations that failed for good go to the queue `<name>-dead`. */
  readonly deadLetter?: true
  /** It is deployed where the stage asks for it by this setting. */
  readonly onlyWith?: 'facades'
}

/** What a function finds where secrets lie: who is reached by the address in front knows it by its secret. */
export const secretNamesOf = ({ secrets = [], trigger }: FunctionDeclaration): readonly SecretName[] =>
  'http' in trigger || 'websocket' in trigger ? [...secrets, 'ORIGIN_SECRET'] : secrets
