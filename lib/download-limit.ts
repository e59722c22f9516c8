import type { Table } from './aws/table.ts'
import { AppError } from './errors.ts'

/** Addresses that lead to a file so many times and no more: each is counted in a record, which goes when the address expires. */
export class DownloadLimits {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  /** @param linkId id of the address. */
  async create(linkId: string, expiresAtS: number): Promise<void> {
    await this.#table.put({ ...keyOf(linkId), taken: 0, ttl: expiresAtS }, { condition: { exists: false } })
  }

  /** @throws AppError FILE_GONE as `take` does, which would count. */
  async check(linkId: string, maxDownloads: number): Promise<void> {
    const record = await this.#table.get(keyOf(linkId))
    if (!record || Number(record['taken']) >= maxDownloads) throw downloadLimitReached(maxDownloads)
  }

  /** @throws AppError FILE_GONE when it was taken as often as it may. */
  async countDownload(linkId: string, maxDownloads: number): Promise<void> {
    const { applied } = await this.#table.update(
      keyOf(linkId),
      { setPlus: { taken: ['taken', 1] } },
      { condition: { exists: true, below: { taken: maxDownloads } } },
    )
    if (!applied) throw downloadLimitReached(maxDownloads)
  }
}

const downloadLimitReached = (maxDownloads: number) =>
  new AppError(
    'FILE_GONE',
    `This address has led to the file as often as it may, ${maxDownloads === 1 ? 'once' : `${maxDownloads} times`}. Ask whoever sent it for a new one.`,
    { maxDownloads },
  )

const keyOf = (linkId: string) => ({ pk: `LINK#${linkId}`, sk: 'LINK' })
