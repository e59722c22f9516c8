import { createOwned, listOwnedIds, removeOwned } from '../aws/owned-records.ts'
import type { Table } from '../aws/table.ts'
import { getWebhookKey, maxWebhooks, Webhook } from './webhook.ts'

/** Records of webhooks. */
export class WebhookStore {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  /** Stores a new webhook; false if the owner has reached the limit. */
  create(webhook: Webhook): Promise<boolean> {
    return createOwned(this.#table, 'WEBHOOK', webhook, maxWebhooks)
  }

  /**
   * Stores the webhook of a job, which is in no list. It may already exist from an earlier attempt of the same request.
   */
  async createForJob(webhook: Webhook): Promise<void> {
    await this.#table.put({ ...getWebhookKey(webhook.id), ...webhook }, { condition: { exists: false } })
  }

  async find(id: string): Promise<Webhook | undefined> {
    const item = await this.#table.get(getWebhookKey(id))
    return item && Webhook.parse(item)
  }

  /** Lists the webhooks of an owner, newest first. */
  async list(owner: string): Promise<Webhook[]> {
    return this.#load(await listOwnedIds(this.#table, 'WEBHOOK', owner))
  }

  async #load(ids: readonly string[]): Promise<Webhook[]> {
    if (ids.length === 0) return []
    const items = await this.#table.getAll(ids.map(getWebhookKey))
    const webhooksById = new Map(items.map((item) => [item['id'], Webhook.parse(item)]))
    return ids.flatMap((id) => webhooksById.get(id) ?? [])
  }

  /** Changes a webhook; undefined values remove attributes. Returns undefined if the webhook was deleted. */
  async change(id: string, change: { readonly [Name in keyof Webhook]?: Webhook[Name] | undefined }) {
    const remove = Object.entries(change).flatMap(([name, value]) => (value === undefined ? [name] : []))
    const { applied, item } = await this.#table.update(getWebhookKey(id), { set: change, remove })
    return applied ? Webhook.parse(item) : undefined
  }

  /** Disables a webhook; false if it was already disabled or deleted. */
  async disable(id: string, reason: Pick<Webhook, 'disabledAt' | 'disabledFor'>): Promise<boolean> {
    const change = { set: { enabled: false, ...reason } }
    const condition = { equal: { enabled: true } }
    return (await this.#table.update(getWebhookKey(id), change, { condition })).applied
  }

  /** Records when a series of failures began. */
  async markFailing(id: string, at: string): Promise<void> {
    await this.#table.update(getWebhookKey(id), { setOnce: { failingSince: at } })
  }

  remove(webhook: Webhook): Promise<boolean> {
    return removeOwned(this.#table, 'WEBHOOK', webhook)
  }
}
