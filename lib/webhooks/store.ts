import type { Table } from '../aws/table.ts'
import { createOwned, listOwnedIds, removeOwned } from '../owned-records.ts'
import { maxWebhooks, Webhook, webhookKey } from './webhook.ts'

/** Records of webhooks. */
export class WebhookStore {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  /** False when the owner has as many as there may be. */
  create(webhook: Webhook): Promise<boolean> {
    return createOwned(this.#table, 'WEBHOOK', webhook, maxWebhooks)
  }

  /** That of a job is in nobody's list. It may be there, of an earlier try of the same request. */
  async createForJob(webhook: Webhook): Promise<void> {
    await this.#table.put({ ...webhookKey(webhook.id), ...webhook }, { condition: { exists: false } })
  }

  async find(id: string): Promise<Webhook | undefined> {
    const item = await this.#table.get(webhookKey(id))
    return item && Webhook.parse(item)
  }

  /** The newest first. */
  async list(owner: string): Promise<Webhook[]> {
    return this.#load(await listOwnedIds(this.#table, 'WEBHOOK', owner))
  }

  async #load(ids: readonly string[]): Promise<Webhook[]> {
    if (ids.length === 0) return []
    const items = await this.#table.getAll(ids.map(webhookKey))
    const found = new Map(items.map((item) => [item['id'], Webhook.parse(item)]))
    return ids.flatMap((id) => found.get(id) ?? [])
  }

  /** Undefined when it has been deleted; what is undefined in a change goes. */
  async change(id: string, change: { readonly [Name in keyof Webhook]?: Webhook[Name] | undefined }) {
    const remove = Object.entries(change).flatMap(([name, value]) => (value === undefined ? [name] : []))
    const { applied, item } = await this.#table.update(webhookKey(id), { set: change, remove })
    return applied ? Webhook.parse(item) : undefined
  }

  /** False when somebody else has switched it off before, or deleted it. */
  async disable(id: string, why: Pick<Webhook, 'disabledAt' | 'disabledFor'>): Promise<boolean> {
    const change = { set: { enabled: false, ...why } }
    const condition = { equal: { enabled: true } }
    return (await this.#table.update(webhookKey(id), change, { condition })).applied
  }

  /** A delivery failed: since when nothing else happens is told by the first. */
  async markFailing(id: string, at: string): Promise<void> {
    await this.#table.update(webhookKey(id), { setOnce: { failingSince: at } })
  }

  remove(webhook: Webhook): Promise<boolean> {
    return removeOwned(this.#table, 'WEBHOOK', webhook)
  }
}
