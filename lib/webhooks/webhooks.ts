import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Services } from '../services.ts'
import { untilHeeded } from '../subscriber-cache.ts'
import {
  type DefaultSecret,
  defaultSecret,
  openSecrets,
  placeOfDefault,
  rotated,
  storeDefault,
} from './default-secret.ts'
import { newSecret } from './signatures.ts'
import { WebhookStore } from './store.ts'
import { checkTarget } from './target-url.ts'
import {
  deliveryLifetimeS,
  mostWebhooks,
  type Webhook,
  type WebhookFormat,
  webhookIdOfJob,
} from './webhook.ts'

export type WebhookWish = Pick<Webhook, 'url' | 'events' | 'format' | 'enabled'> & {
  readonly description?: string | undefined
  readonly secret?: string | undefined
}

export type WebhookChange = {
  readonly [Field in Exclude<keyof WebhookWish, 'secret'>]?: WebhookWish[Field] | undefined
}

type Needed = Pick<Services, 'config' | 'table' | 'vault'>

/** The address that a job brings itself. */
interface JobWebhook {
  readonly url: string
  readonly format?: WebhookFormat | undefined
  readonly owner: string
  readonly jobId: string
  readonly retentionS: number
}

/** What receivers of the facade know. */
const facadeEvents = ['job.created', 'job.completed', 'job.failed']

/** What owners do with their webhooks. */
export class Webhooks {
  readonly store: WebhookStore
  readonly #services: Needed

  constructor(services: Needed) {
    this.store = new WebhookStore(services.table)
    this.#services = services
  }

  /** @throws AppError INVALID_INPUT, also for one too many; URL_NOT_ALLOWED */
  async create(
    owner: string,
    wish: WebhookWish,
    now = new Date(),
  ): Promise<{ webhook: Webhook; secret: string }> {
    await this.#check(wish.url, 'url')
    const id = newId('whk')
    const { description, secret = newSecret(), ...rest } = wish
    const webhook = {
      ...{ id, owner, ...rest, ...(description !== undefined && { description }) },
      secret: this.#services.vault.seal(secret, id),
      ...{ createdAt: now.toISOString(), updatedAt: now.toISOString() },
    }
    if (await this.store.create(webhook)) {
      await untilHeeded()
      return { webhook, secret }
    }
    throw new AppError(
      'INVALID_INPUT',
      `There are ${mostWebhooks} webhooks, which is as many as one owner may have. Delete one first.`,
      { max: mostWebhooks },
    )
  }

  /** The `webhookUrl` of a job that is about to be made; made twice it is one. */
  async createForJob(
    { url, format = 'json', owner, jobId, retentionS }: JobWebhook,
    now = new Date(),
  ): Promise<void> {
    const at = now.toISOString()
    await this.store.createForJob({
      ...{ id: webhookIdOfJob(jobId), owner, jobId, url },
      ...{
        events: format === 'facade-v2' ? facadeEvents : ['*'],
        format,
        enabled: true,
        createdAt: at,
        updatedAt: at,
      },
      // A job waits, runs and is kept before its last event.
      ttl: Math.floor(now.getTime() / 1000) + retentionS + deliveryLifetimeS,
    })
  }

  /** @throws AppError INVALID_INPUT, URL_NOT_ALLOWED */
  checkJobUrl = (url: string) => this.#check(url, 'webhookUrl')

  #check(url: string, field: string): Promise<void> {
    return checkTarget(url, field, this.#services.config.OUTGOING_ALLOW)
  }

  /** What is left out stays. Switched on it begins anew, whatever failed before. */
  async change(id: string, wish: WebhookChange, now = new Date()): Promise<Webhook | undefined> {
    if (wish.url !== undefined) await this.#check(wish.url, 'url')
    const given = Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined))
    const anew = { failingSince: undefined, disabledAt: undefined, disabledFor: undefined }
    const changed = await this.store.change(id, {
      ...given,
      ...(wish.enabled === true && anew),
      ...(wish.enabled === false && { disabledAt: now.toISOString(), disabledFor: undefined }),
      updatedAt: now.toISOString(),
    })
    await untilHeeded()
    return changed
  }

  /** False when it has been deleted before. */
  async remove(webhook: Webhook): Promise<boolean> {
    const isRemoved = await this.store.remove(webhook)
    await untilHeeded()
    return isRemoved
  }

  /** The new secret; the one before signs as well for so long. */
  async rotate(
    webhook: Webhook,
    graceHours: number,
    now = new Date(),
  ): Promise<{ webhook: Webhook; secret: string } | undefined> {
    const { plain, secrets } = rotated(webhook, { place: webhook.id, graceHours, now }, this.#services.vault)
    const changed = await this.store.change(webhook.id, { ...secrets, updatedAt: now.toISOString() })
    await untilHeeded()
    return changed && { webhook: changed, secret: plain }
  }

  /** Signs what goes to the `webhookUrl` of a job. */
  async defaultSecret(owner: string, now = new Date()): Promise<{ secret: string; createdAt: string }> {
    const { table, vault } = this.#services
    const record = await defaultSecret(owner, table, vault)
    const [secret] = openSecrets(record, placeOfDefault(owner), vault, now)
    return { secret, createdAt: record.createdAt }
  }

  async rotateDefault(
    owner: string,
    graceHours: number,
    now = new Date(),
  ): Promise<{ secret: string; createdAt: string }> {
    const { table, vault } = this.#services
    const before = await defaultSecret(owner, table, vault)
    const { plain, secrets } = rotated(before, { place: placeOfDefault(owner), graceHours, now }, vault)
    const changed: DefaultSecret = { ...secrets, createdAt: now.toISOString() }
    await storeDefault(owner, changed, table)
    return { secret: plain, createdAt: changed.createdAt }
  }

  /** Those that sign what goes to it at this moment, the current one first. */
  async secretsOf(webhook: Webhook, now: Date): Promise<[string, ...string[]]> {
    const { table, vault } = this.#services
    if (webhook.secret) return openSecrets(webhook, webhook.id, vault, now)
    const { owner } = webhook
    return openSecrets(await defaultSecret(owner, table, vault), placeOfDefault(owner), vault, now)
  }
}
