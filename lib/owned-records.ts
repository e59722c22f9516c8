import type { Item, Key, Table, Write } from './aws/table.ts'

/** Things of which an owner may have so many, as workflows: each has a record of its own and a place in the owner's list. */

/** What stands before the `#` in the keys of the things. */
export const ownedKinds = ['WORKFLOW', 'WEBHOOK', 'KEY', 'OAUTH', 'DRIVE'] as const
export type OwnedKind = (typeof ownedKinds)[number]

const listOf = (owner: string) => `OWNER#${owner}`
const placeOf = (owner: string, kind: OwnedKind, id: string): Key => ({
  pk: listOf(owner),
  sk: `${kind}#${id}`,
})
/** How many things of each kind an owner has. */
export const ownedCounts = (owner: string): Key => ({ pk: listOf(owner), sk: 'COUNTS' })

/** The record of a thing. What belongs to it stands in the same partition. */
export const ownedKey = (kind: OwnedKind, id: string): Key => ({ pk: `${kind}#${id}`, sk: kind })

interface Owned extends Item {
  readonly id: string
  readonly owner: string
}

/**
 * Stores a new one; false when the owner has as many as there may be.
 * @param along is written with it, or not at all.
 */
export async function createOwned(
  table: Table,
  kind: OwnedKind,
  record: Owned,
  most: number,
  along: readonly Write[] = [],
): Promise<boolean> {
  const { id, owner } = record
  const count = ownedCounts(owner)
  const made = () =>
    table.transact([
      {
        update: count,
        change: { setPlus: { [kind]: [kind, 1] } },
        if: { present: [kind], below: { [kind]: most } },
      },
      { put: { ...placeOf(owner, kind, id), id } },
      { put: { ...ownedKey(kind, id), ...record }, if: { exists: false } },
      ...along,
    ])
  if (await made()) return true
  // The first of an owner finds no count yet.
  const { applied } = await table.update(count, { set: { [kind]: 0 } }, { condition: { absent: [kind] } })
  return applied && made()
}

/** Ids of an owner's things, the newest first. */
export async function ownedIds(table: Table, kind: OwnedKind, owner: string): Promise<string[]> {
  const places = await table.partition(listOf(owner), `${kind}#`)
  return places.map(({ id }) => String(id)).sort((a, b) => (a < b ? 1 : -1))
}

/** Removes one with all that belongs to it; false when somebody else has done so. @param along is written with that. */
export async function removeOwned(
  table: Table,
  kind: OwnedKind,
  { id, owner }: Owned,
  along: readonly Write[] = [],
): Promise<boolean> {
  const key = ownedKey(kind, id)
  const removed = await table.transact([
    { update: ownedCounts(owner), change: { setPlus: { [kind]: [kind, -1] } } },
    { delete: placeOf(owner, kind, id), if: { exists: true } },
    { delete: key },
    ...along,
  ])
  const below = await table.partition(key.pk)
  await table.writeAll(
    [],
    below.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })),
  )
  return removed
}

/** Gives all of these kinds to another owner, who has none of them yet. */
export async function moveOwnedThings(
  table: Table,
  kinds: readonly OwnedKind[],
  from: string,
  to: string,
): Promise<void> {
  for (const kind of kinds)
    for (const id of await ownedIds(table, kind, from)) {
      const count = ownedCounts(to)
      await table.update(count, { setOnce: { [kind]: 0 } }, { condition: {} })
      await table.transact([
        { update: ownedCounts(from), change: { setPlus: { [kind]: [kind, -1] } } },
        { update: count, change: { setPlus: { [kind]: [kind, 1] } } },
        { delete: placeOf(from, kind, id), if: { exists: true } },
        { put: { ...placeOf(to, kind, id), id } },
        // Whoever has read it before decides by it no more.
        { update: ownedKey(kind, id), change: { set: { owner: to }, setPlus: versionOf(kind) } },
      ])
    }
}

const versionOf = (kind: OwnedKind): Record<string, readonly [string, number]> =>
  kind === 'WORKFLOW' ? { version: ['version', 1] } : {}
