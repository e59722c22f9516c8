import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { waitForCacheExpiry } from '../model/subscriber-cache.ts'
import type { Services } from '../services/services.ts'
import { defined } from '../validation/defined.ts'
import {
  type DefaultSecret,
  getDefaultSecretContext,
  readDefaultSecret,
  renewSecret,
  storeDefaultSecret,
  unsealSecrets,
} from './default-secret.ts'
import { createSecret } from './signatures.ts'
import { WebhookStore } from './store.ts'
import { openUrl } from './stored-url.ts'
import { checkTargetUrl } from './target-url.ts'
import {
  deliveryLifetimeS,
  getWebhookIdOfJob,
  maxWebhooks,
  type Webhook,
  type WebhookFormat,
} from './webhook.ts'

type WebhookInput = Pick<Webhook, 'events' | 'format' | 'enabled'> & {
  readonly url: string
  readonly description?: string | undefined
  readonly secret?: string | undefined
}

type WebhookChange = {
  readonly [Field in Exclude<keyof WebhookInput, 'secret'>]?: WebhookInput[Field] | undefined
}

type WebhookDeps = Pick<Services, 'config' | 'table' | 'vault'>

/** The webhook for the `webhookUrl` of a job. */
interface JobWebhook {
  readonly url: string
  readonly format?: WebhookFormat | undefined
  readonly owner: string
  readonly jobId: string
  readonly retentionS: number
}

/** Events for which the compatible v2 API sends webhooks. */
const compatEvents = ['job.created', 'job.completed', 'job.failed']

/** Operations of owners on their webhooks. */
export class Webhooks {
  readonly store: WebhookStore
  readonly #services: WebhookDeps

  constructor(services: WebhookDeps) {
    this.store = new WebhookStore(services.table)
    this.#services = services
  }

  /** Creates a webhook. @throws AppError INVALID_INPUT, for example if the limit is reached; URL_NOT_ALLOWED */
  async create(
    owner: string,
    input: WebhookInput,
    now = new Date(),
  ): Promise<{ webhook: Webhook; secret: string }> {
    await this.#checkUrl(input.url, 'url')
    const id = newId('whk')
    const { url, description, secret = createSecret(), ...otherInput } = input
    const { vault } = this.#services
    const webhook = {
      id,
      owner,
      url: vault.seal(url, id),
      ...otherInput,
      ...defined({ description }),
      secret: vault.seal(secret, id),
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
    }
    if (await this.store.create(webhook)) {
      await waitForCacheExpiry()
      return { webhook, secret }
    }
    throw new AppError(
      'INVALID_INPUT',
      `You have reached the limit of ${maxWebhooks} webhooks. Delete one first.`,
      { max: maxWebhooks },
    )
  }

  /** Creates the webhook of a job that is about to be created. The call is idempotent. */
  async createForJob(
    { url, format = 'json', owner, jobId, retentionS }: JobWebhook,
    now = new Date(),
  ): Promise<void> {
    const at = now.toISOString()
    const id = getWebhookIdOfJob(jobId)
    await this.store.createForJob({
      id,
      owner,
      jobId,
      url: this.#services.vault.seal(url, id),
      events: format === 'facade-v2' ? compatEvents : ['*'],
      format,
      enabled: true,
      createdAt: at,
      updatedAt: at,
      // The record must outlive the job, which may wait, run and be retained before its last event.
      ttl: Math.floor(now.getTime() / 1000) + retentionS + deliveryLifetimeS,
    })
  }

  /** Checks the `webhookUrl` of a job. @throws AppError INVALID_INPUT, URL_NOT_ALLOWED */
  checkJobUrl = (url: string) => this.#checkUrl(url, 'webhookUrl')

  #checkUrl(url: string, field: string): Promise<void> {
    return checkTargetUrl(url, field, this.#services.config.OUTGOING_ALLOW)
  }

  /** Changes the fields of a webhook. Enabling it also clears its failures. */
  async change(id: string, input: WebhookChange, now = new Date()): Promise<Webhook | undefined> {
    if (input.url !== undefined) await this.#checkUrl(input.url, 'url')
    const url = input.url === undefined ? undefined : this.#services.vault.seal(input.url, id)
    const changes = defined({ ...input, url })
    const clearedFailureFields = { failingSince: undefined, disabledAt: undefined, disabledFor: undefined }
    const changedWebhook = await this.store.change(id, {
      ...changes,
      ...(input.enabled === true && clearedFailureFields),
      ...(input.enabled === false && { disabledAt: now.toISOString(), disabledFor: undefined }),
      updatedAt: now.toISOString(),
    })
    await waitForCacheExpiry()
    return changedWebhook
  }

  /** Removes a webhook; false if it was already deleted. */
  async remove(webhook: Webhook): Promise<boolean> {
    const isRemoved = await this.store.remove(webhook)
    await waitForCacheExpiry()
    return isRemoved
  }

  /** Creates a new secret; the previous secret also keeps signing for `graceHours`. */
  async rotate(
    webhook: Webhook,
    graceHours: number,
    now = new Date(),
  ): Promise<{ webhook: Webhook; secret: string } | undefined> {
    const { plain, secrets } = renewSecret(
      webhook,
      { context: webhook.id, graceHours, now },
      this.#services.vault,
    )
    const changedWebhook = await this.store.change(webhook.id, { ...secrets, updatedAt: now.toISOString() })
    await waitForCacheExpiry()
    return changedWebhook && { webhook: changedWebhook, secret: plain }
  }

  /** Returns the secret that signs deliveries to the `webhookUrl` of a job. */
  async defaultSecret(owner: string, now = new Date()): Promise<{ secret: string; createdAt: string }> {
    const { table, vault } = this.#services
    const record = await readDefaultSecret(owner, table, vault)
    const [secret] = unsealSecrets(record, getDefaultSecretContext(owner), vault, now)
    return { secret, createdAt: record.createdAt }
  }

  async rotateDefault(
    owner: string,
    graceHours: number,
    now = new Date(),
  ): Promise<{ secret: string; createdAt: string }> {
    const { table, vault } = this.#services
    const secretBefore = await readDefaultSecret(owner, table, vault)
    const { plain, secrets } = renewSecret(
      secretBefore,
      { context: getDefaultSecretContext(owner), graceHours, now },
      vault,
    )
    const changedSecret: DefaultSecret = { ...secrets, createdAt: now.toISOString() }
    await storeDefaultSecret(owner, changedSecret, table)
    return { secret: plain, createdAt: changedSecret.createdAt }
  }

  /** Returns the URL of a webhook. */
  getUrl({ id, url }: Webhook): string {
    return openUrl(url, id, this.#services.vault)
  }

  /** Returns the secrets that sign deliveries to a webhook now, the current one first. */
  async getSecrets(webhook: Webhook, now: Date): Promise<[string, ...string[]]> {
    const { table, vault } = this.#services
    if (webhook.secret) return unsealSecrets(webhook, webhook.id, vault, now)
    const { owner } = webhook
    return unsealSecrets(
      await readDefaultSecret(owner, table, vault),
      getDefaultSecretContext(owner),
      vault,
      now,
    )
  }
}
