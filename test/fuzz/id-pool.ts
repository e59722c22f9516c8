/** Collects the ids in replies by their kind, so that later requests can use them. */

const kinds = ['job', 'upl', 'whk', 'whd', 'wf', 'run', 'key', 'client', 'conn', 'acc', 'ses', 'evt']
const idPattern = new RegExp(`\\b(${kinds.join('|')})_[0-9A-HJKMNP-TV-Z]{26}\\b`, 'g')
const fieldPatterns: Readonly<Record<string, RegExp>> = {
  cursor: /"(?:next|nextCursor|prevCursor|cursor)":"([^"]+)"/g,
  object: /"key":"(uploads\/[^"]+)"/g,
  token: /"(?:access_token|ticket)":"([^"]+)"/g,
  etag: /"ETag":"((?:[^"\\]|\\.)+)"/gi,
}
const tokenPattern = /\{\{(\w+):(\d+)\}\}/g
/** Number of ids to keep for each kind and sender: the newest, most of which still exist. */
const maxIds = 60

export class IdPool {
  readonly #ids = new Map<string, string[]>()

  /** Collects the ids from a reply, so that later requests of the sender can use them. */
  learn(text: string, sender: string): void {
    for (const [id, kind = ''] of text.matchAll(idPattern)) this.add(kind, id, sender)
    for (const [kind, pattern] of Object.entries(fieldPatterns))
      for (const [, value = ''] of text.matchAll(pattern)) this.add(kind, value, sender)
  }

  add(kind: string, id: string, sender = ''): void {
    for (const list of [kind, `${kind} of ${sender}`]) {
      const knownIds = this.#ids.get(list) ?? []
      if (!knownIds.includes(id)) this.#ids.set(list, [...knownIds, id].slice(-maxIds))
    }
  }

  /** Replaces the placeholders at any depth of a value by known ids of their kinds, or by ids that do not exist. */
  fill(value: unknown, sender: string): unknown {
    if (typeof value === 'string')
      return value.replace(tokenPattern, (_, kind: string, at: string) =>
        this.#pick(kind, Number(at), sender),
      )
    if (Array.isArray(value)) return value.map((item) => this.fill(item, sender))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.fill(one, sender)]))
  }

  /** Picks an id of the sender, or for one placeholder in ten an id of any sender. */
  #pick(kind: string, at: number, sender: string): string {
    const ownIds = at % 10 === 0 ? undefined : this.#ids.get(`${kind} of ${sender}`)
    const knownIds = ownIds ?? this.#ids.get(kind) ?? []
    return knownIds[at % Math.max(1, knownIds.length)] ?? `${kind}_01M8GX6EN24AFB0MDD2WGAQA75`
  }
}
