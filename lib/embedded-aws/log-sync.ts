import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'

/** The result of a committed change. It may only be delivered once the change is on disk. */
export interface PendingDelivery {
  readonly deliver: () => void
  readonly reject: (error: unknown) => void
}

const syncFile = promisify(fdatasync)

/** Syncs the write-ahead log of a database. One sync runs at a time; commits made meanwhile share the next sync. */
export class LogSync {
  readonly #file: string
  /**
   * Descriptor of the log file, which stays the same while the database is open, although SQLite resets and truncates
   * it. It is opened before the first commit, so it gets every write error: the kernel reports an error once to each
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
    // A killed process may have left commits that are not on disk; they are synced before anything can depend on them.
    fdatasyncSync(this.#log)
    this.#sync = sync ?? (() => syncFile(this.#log))
    this.#onFailed = onFailed
    const selectChanges = db.prepare('SELECT total_changes() AS changes')
    this.#countChanges = () => selectChanges.get()?.changes
    this.#syncedChanges = this.#countChanges()
  }

  /** The error of the disk, after which no change can be durable; undefined until it fails. */
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
   * Rejects all changes from now on: after a failed sync, the kernel may have dropped the data from memory, so a later
   * successful sync proves nothing.
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

  /** Waits for the running sync and closes the log; calls `closeDatabase` in between. */
  async close(closeDatabase: () => void): Promise<void> {
    await this.#syncing
    closeDatabase()
    closeSync(this.#log)
  }
}
