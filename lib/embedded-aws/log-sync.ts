import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'

/** The result of a committed change that may only be delivered once the change is on disk. */
export interface PendingDelivery {
  readonly deliver: () => void
  readonly reject: (error: unknown) => void
}

const syncFile = promisify(fdatasync)

/** Syncs the write-ahead log of a database. One sync runs at a time: commits continue during it, and share the next. */
export class LogSync {
  readonly #file: string
  /**
   * SQLite resets and truncates the log, but the file stays the same as long as the database is open. This descriptor
   * is opened before the first commit, so it gets every write error: the kernel reports an error once to each
   * descriptor that was open when it occurred.
   */
  readonly #log: number
  readonly #sync: () => Promise<void>
  readonly #onFailed: (error: Error) => void
  readonly #countChanges: () => unknown
  /** Results that wait for a sync that has not started. */
  #pendingResults: PendingDelivery[] = []
  #syncing: Promise<void> | undefined
  #syncedChanges: unknown
  #failure: Error | undefined

  constructor(db: DatabaseSync, onFailed: (error: Error) => void, sync?: () => Promise<void>) {
    this.#file = db.location() ?? ''
    this.#log = openSync(`${this.#file}-wal`, 'r')
    // A killed process may have left commits that are not on disk; nothing may depend on them before they are.
    fdatasyncSync(this.#log)
    this.#sync = sync ?? (() => syncFile(this.#log))
    this.#onFailed = onFailed
    const selectChanges = db.prepare('SELECT total_changes() AS changes')
    this.#countChanges = () => selectChanges.get()?.changes
    this.#syncedChanges = this.#countChanges()
  }

  /** Set once the disk failed: no later change can be durable. */
  get failure(): Error | undefined {
    return this.#failure
  }

  /** Delivers the results once everything committed so far is on disk. */
  deliverDurably(results: readonly PendingDelivery[]): void {
    this.#pendingResults.push(...results)
    this.#syncing ??= this.#deliverWhenSynced().finally(() => {
      this.#syncing = undefined
    })
  }

  async #deliverWhenSynced(): Promise<void> {
    while (this.#pendingResults.length > 0) {
      const results = this.#pendingResults
      this.#pendingResults = []
      const changes = this.#countChanges()
      if (changes !== this.#syncedChanges) {
        try {
          await this.#sync()
        } catch (cause) {
          return this.#failPermanently(cause, results)
        }
        this.#syncedChanges = changes
      }
      for (const { deliver } of results) deliver()
    }
  }

  /**
   * After a failed sync the kernel may have dropped the data from memory, so a later successful sync proves nothing.
   */
  #failPermanently(cause: unknown, results: readonly PendingDelivery[]): void {
    const failure = new Error(
      `Writes to ${this.#file} could not be synced to disk, so no further changes are accepted. Check the disk for errors and free space, then restart the service.`,
      { cause },
    )
    this.#failure = failure
    this.#onFailed(failure)
    for (const { reject } of [...results, ...this.#pendingResults]) reject(failure)
    this.#pendingResults = []
  }

  /** Waits for the running sync and closes the log; `closeDatabase` is called in between. */
  async close(closeDatabase: () => void): Promise<void> {
    await this.#syncing
    closeDatabase()
    closeSync(this.#log)
  }
}
