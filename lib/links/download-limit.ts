import type { Table } from '../aws/table.ts'
import { AppError } from '../errors.ts'

/** Counts the downloads of links with a download limit, each in a record that expires with the link. */
export class DownloadLimits {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  /** Starts counting the downloads of a link. */
  async create(linkId: string, expiresAtS: number): Promise<void> {
    await this.#table.put({ ...getKey(linkId), taken: 0, ttl: expiresAtS }, { condition: { exists: false } })
  }

  /** Checks the limit without counting a download. @throws AppError FILE_GONE if the limit is reached. */
  async check(linkId: string, maxDownloads: number): Promise<void> {
    const record = await this.#table.get(getKey(linkId))
    if (!record || Number(record['taken']) >= maxDownloads)
      throw createDownloadLimitReachedError(maxDownloads)
  }

  /** Counts a download. @throws AppError FILE_GONE if the limit is reached. */
  async countDownload(linkId: string, maxDownloads: number): Promise<void> {
    const { applied } = await this.#table.update(
      getKey(linkId),
      { setPlus: { taken: ['taken', 1] } },
      { condition: { exists: true, below: { taken: maxDownloads } } },
    )
    if (!applied) throw createDownloadLimitReachedError(maxDownloads)
  }
}

const createDownloadLimitReachedError = (maxDownloads: number) =>
  new AppError(
    'FILE_GONE',
    `This link has reached its download limit (${maxDownloads}). Ask the person who sent it for a new one.`,
    { maxDownloads },
  )

const getKey = (linkId: string) => ({ pk: `LINK#${linkId}`, sk: 'LINK' })
