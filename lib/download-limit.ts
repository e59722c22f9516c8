import type { Table } from './aws/table.ts'
import { AppError } from './errors.ts'

/** Addresses that lead to a file so many times and no more: each is counted in a record, which goes when the address expires. */
export class Downloads {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  /** @param link id of the address. */
  async begin(link: string, expiresAtS: number): Promise<void> {
    await this.#table.put({ ...keyOf(link), taken: 0, ttl: expiresAtS }, { condition: { exists: false } })
  }

  /** @throws AppError FILE_GONE as `take` does, which would count. */
  async look(link: string, most: number): Promise<void> {
    const record = await this.#table.get(keyOf(link))
    if (!record || Number(record['taken']) >= most) throw usedUp(most)
  }

  /** @throws AppError FILE_GONE when it was taken as often as it may. */
  async take(link: string, most: number): Promise<void> {
    const { applied } = await this.#table.update(
      keyOf(link),
      { setPlus: { taken: ['taken', 1] } },
      { condition: { exists: true, below: { taken: most } } },
    )
    if (!applied) throw usedUp(most)
  }
}

const usedUp = (most: number) =>
  new AppError(
    'FILE_GONE',
    `This address has led to the file as often as it may, ${most === 1 ? 'once' : `${most} times`}. Ask whoever sent it for a new one.`,
    { maxDownloads: most },
  )

const keyOf = (link: string) => ({ pk: `LINK#${link}`, sk: 'LINK' })
