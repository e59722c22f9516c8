import type { Item, Key, Table, Write } from './table.ts'

/** Records with a limit per owner, such as workflows: each has its own item and an entry in the owner's list. */

/** Key prefixes of owned records, without the `#`. */
export const ownedKinds = ['WORKFLOW', 'WEBHOOK', 'KEY', 'OAUTH', 'DRIVE'] as const
type OwnedKind = (typeof ownedKinds)[number]

const getOwnerPartition = (owner: string) => `OWNER#${owner}`
const getListEntryKey = (owner: string, kind: OwnedKind, id: string): Key => ({
  pk: getOwnerPartition(owner),
  sk: `${kind}#${id}`,
})
/** Key of the item that counts an owner's records of each kind. */
export const getOwnedCountsKey = (owner: string): Key => ({ pk: getOwnerPartition(owner), sk: 'COUNTS' })

/** Key of an owned record. Its dependent items are in the same partition. */
export const getOwnedKey = (kind: OwnedKind, id: string): Key => ({ pk: `${kind}#${id}`, sk: kind })

interface OwnedRecord extends Item {
  readonly id: string
  readonly owner: string
}

/**
 * Stores a new record; false if the owner has reached the limit.
 * @param extraWrites written in the same transaction.
 */
export async function createOwned(
  table: Table,
  kind: OwnedKind,
  record: OwnedRecord,
  max: number,
  extraWrites: readonly Write[] = [],
): Promise<boolean> {
  const { id, owner } = record
  const count = getOwnedCountsKey(owner)
  const create = () =>
    table.transact([
      {
        update: count,
        change: { setPlus: { [kind]: [kind, 1] } },
        if: { present: [kind], below: { [kind]: max } },
      },
      { put: { ...getListEntryKey(owner, kind, id), id } },
      { put: { ...getOwnedKey(kind, id), ...record }, if: { exists: false } },
      ...extraWrites,
    ])
  if (await create()) return true
  // If this is the owner's first record, there is no count yet.
  const { applied } = await table.update(count, { set: { [kind]: 0 } }, { condition: { absent: [kind] } })
  return applied && create()
}

/** Returns the ids of an owner's records, newest first. */
export async function listOwnedIds(table: Table, kind: OwnedKind, owner: string): Promise<string[]> {
  const entries = await table.partition(getOwnerPartition(owner), `${kind}#`)
  return entries.map(({ id }) => String(id)).sort((a, b) => (a < b ? 1 : -1))
}

/**
 * Removes a record and its dependent items; false if it was already removed.
 * @param extraWrites written in the same transaction.
 */
export async function removeOwned(
  table: Table,
  kind: OwnedKind,
  { id, owner }: OwnedRecord,
  extraWrites: readonly Write[] = [],
): Promise<boolean> {
  const key = getOwnedKey(kind, id)
  const isRemoved = await table.transact([
    { update: getOwnedCountsKey(owner), change: { setPlus: { [kind]: [kind, -1] } } },
    { delete: getListEntryKey(owner, kind, id), if: { exists: true } },
    { delete: key },
    ...extraWrites,
  ])
  const ownedItems = await table.partition(key.pk)
  await table.writeAll(
    [],
    ownedItems.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })),
  )
  return isRemoved
}

/** Moves all records of these kinds to an owner who has no such records yet. */
export async function moveOwnedRecords(
  table: Table,
  kinds: readonly OwnedKind[],
  from: string,
  to: string,
): Promise<void> {
  for (const kind of kinds)
    for (const id of await listOwnedIds(table, kind, from)) {
      const count = getOwnedCountsKey(to)
      await table.update(count, { setOnce: { [kind]: 0 } }, { condition: {} })
      await table.transact([
        { update: getOwnedCountsKey(from), change: { setPlus: { [kind]: [kind, -1] } } },
        { update: count, change: { setPlus: { [kind]: [kind, 1] } } },
        { delete: getListEntryKey(from, kind, id), if: { exists: true } },
        { put: { ...getListEntryKey(to, kind, id), id } },
        // The version is incremented, so that writers that read the record earlier fail.
        { update: getOwnedKey(kind, id), change: { set: { owner: to }, setPlus: incrementVersion(kind) } },
      ])
    }
}

const incrementVersion = (kind: OwnedKind): Record<string, readonly [string, number]> =>
  kind === 'WORKFLOW' ? { version: ['version', 1] } : {}
