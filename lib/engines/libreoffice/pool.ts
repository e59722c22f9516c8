import { removeOrphanedFolders } from '../sandbox/process-folder.ts'
import { type OfficeCondition, OfficeCrash, type OfficeFacts, OfficeStartFailure } from './bridge.ts'
import {
  type OfficeJob,
  type OfficeProcess,
  OfficeRefusal,
  type OfficeSettings,
  officeFolderPrefix,
  startOffice,
} from './process.ts'

/** A process above this size is replaced, because it slows down the whole machine. */
const maxResidentKb = 700 * 1024

/**
 * Number of crashes of fresh processes after which a conversion fails. Such a process has converted only this document,
 * which must be the cause.
 */
const maxOwnCrashes = 3

/**
 * Number of failed starts after which a conversion fails. The document is not their cause, so they do not count as
 * crashes.
 */
const maxStarts = 3

interface Slot {
  /** Undefined until the slot is first needed. The process may have died while idle, or failed to start. */
  office: Promise<OfficeProcess> | undefined
  documents: number
  /** Whether the process is due for replacement; it keeps converting until a spare process is ready. */
  needsReplacement: boolean
}

/** A process that is warmed up in the background to replace a spent one. */
interface SpareProcess {
  readonly startPromise: Promise<OfficeProcess>
  /** Set when the process is ready. */
  office?: OfficeProcess
}

type Waiter = (slot: Slot) => void

interface Attempt {
  /** Whether the attempt needs, or used, a process that has converted nothing else. */
  isFresh: boolean
}

interface OfficePoolSettings extends OfficeSettings {
  /** Maximum number of processes. */
  readonly size: number
  /** Number of documents that a process converts before it is replaced. */
  readonly maxDocuments: number
}

/** Warm pool of up to `size` LibreOffice processes, started on demand; each converts one document at a time. */
export class OfficePool {
  readonly #settings: OfficePoolSettings
  readonly #slots: readonly Slot[]
  readonly #idleSlots: Slot[]
  readonly #waiters: Waiter[] = []
  #spareProcess: SpareProcess | undefined
  /** Resolves when all spent processes have ended. */
  #exitingProcesses: Promise<unknown> = Promise.resolve()
  /** Number of slots that are cleaning up after a finished document. */
  #cleanupCount = 0
  #orphansRemoved: Promise<void> | undefined
  #isClosed = false

  constructor(settings: OfficePoolSettings) {
    this.#settings = settings
    this.#slots = Array.from({ length: settings.size }, () => ({
      office: undefined,
      documents: 0,
      needsReplacement: false,
    }))
    this.#idleSlots = [...this.#slots]
  }

  /**
   * @throws OfficeRefusal when the document cannot be converted, OfficeCrash when it crashed several fresh processes,
   * the signal's reason when aborted.
   */
  async convert(job: OfficeJob, signal: AbortSignal): Promise<OfficeFacts> {
    const attempt: Attempt = { isFresh: false }
    for (let crashCount = 0; ; attempt.isFresh = true) {
      try {
        return await this.#convertOnce(job, signal, attempt)
      } catch (error) {
        const isCrash = error instanceof OfficeCrash && !(error instanceof OfficeStartFailure)
        // Counts only crashes of fresh processes, because an earlier document may have damaged any other process.
        if (attempt.isFresh) crashCount++
        if (!isCrash || crashCount === maxOwnCrashes) throw error
      }
    }
  }

  /** Starts one process, so that the next document does not have to wait for it. */
  async warm(): Promise<void> {
    const slot = await this.#acquire(AbortSignal.timeout(60_000))
    try {
      await this.#getOffice(slot)
    } finally {
      this.#release(slot)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const processes = await Promise.allSettled([
      this.#spareProcess?.startPromise,
      ...this.#slots.map((slot) => slot.office),
    ])
    await Promise.all(processes.map((office) => office.status === 'fulfilled' && office.value?.kill()))
    await this.#exitingProcesses
  }

  async #start(): Promise<OfficeProcess> {
    this.#orphansRemoved ??= removeOrphanedFolders(this.#settings.baseDir, officeFolderPrefix)
    await this.#orphansRemoved
    for (let attempt = 1; ; attempt++) {
      if (this.#isClosed) throw new Error('The office pool is closed.')
      try {
        return await startOffice(this.#settings)
      } catch (error) {
        if (!(error instanceof OfficeStartFailure) || attempt === maxStarts) throw error
      }
    }
  }

  #acquire(signal: AbortSignal): Promise<Slot> {
    signal.throwIfAborted()
    const runningIndex = this.#idleSlots.findIndex((slot) => slot.office !== undefined)
    // A process that is cleaning up is available sooner than a new one.
    const isAvailableSoon = runningIndex < 0 && this.#cleanupCount > this.#waiters.length
    const [slot] = isAvailableSoon ? [] : this.#idleSlots.splice(Math.max(0, runningIndex), 1)
    if (slot) return Promise.resolve(slot)
    const { promise, resolve, reject } = Promise.withResolvers<Slot>()
    const onAbort = () => {
      this.#waiters.splice(this.#waiters.indexOf(resume), 1)
      reject(signal.reason)
    }
    const resume: Waiter = (slot) => {
      signal.removeEventListener('abort', onAbort)
      resolve(slot)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    this.#waiters.push(resume)
    return promise
  }

  #release(slot: Slot): void {
    this.#useSpare(slot)
    const nextWaiter = this.#waiters.shift()
    if (nextWaiter) nextWaiter(slot)
    else this.#idleSlots.push(slot)
  }

  async #getOffice(slot: Slot, isFresh = false): Promise<OfficeProcess> {
    // If the start failed in the background, try again. This caller gets the error of the new attempt.
    const office = await slot.office?.catch(() => undefined)
    if (office?.isAlive && !(isFresh && slot.documents > 0)) return office
    await office?.kill()
    return this.#startFresh(slot)
  }

  #startFresh(slot: Slot): Promise<OfficeProcess> {
    slot.documents = 0
    slot.needsReplacement = false
    slot.office = this.#spareProcess?.startPromise ?? this.#start()
    this.#spareProcess = undefined
    return slot.office
  }

  async #convertOnce(job: OfficeJob, signal: AbortSignal, attempt: Attempt): Promise<OfficeFacts> {
    const slot = await this.#acquire(signal)
    let office: OfficeProcess
    try {
      office = await this.#getOffice(slot, attempt.isFresh)
    } catch (error) {
      this.#release(slot)
      throw error
    }
    let isHealthy = false
    attempt.isFresh = slot.documents === 0
    slot.documents++
    try {
      const officeFacts = await convertInProcess(office, job, signal)
      isHealthy = true
      return officeFacts
    } catch (error) {
      isHealthy = error instanceof OfficeRefusal
      throw error
    } finally {
      // Runs in the background, so that the client does not wait for the preparation of the next document.
      void this.#cleanUp(slot, office, isHealthy)
    }
  }

  async #cleanUp(slot: Slot, office: OfficeProcess, isHealthy: boolean): Promise<void> {
    this.#cleanupCount++
    const condition = isHealthy ? await tryClear(office) : undefined
    this.#cleanupCount--
    if (!condition || condition.staleFonts) {
      await this.#replace(slot, office)
      return
    }
    slot.needsReplacement =
      slot.documents >= this.#settings.maxDocuments || condition.residentKb > maxResidentKb
    if (slot.needsReplacement) this.#prepareSpare()
    this.#release(slot)
  }

  async #replace(slot: Slot, office: OfficeProcess): Promise<void> {
    slot.office = office.kill().then(() => this.#startFresh(slot))
    await slot.office.catch(() => undefined)
    this.#release(slot)
  }

  /** Starts at most one spare at a time, because a start occupies a core for a second. */
  #prepareSpare(): void {
    if (this.#spareProcess) return
    const newSpare: SpareProcess = { startPromise: this.#startWarm() }
    this.#spareProcess = newSpare
    newSpare.startPromise.then(
      (office) => {
        newSpare.office = office
        for (const slot of this.#idleSlots) this.#useSpare(slot)
      },
      () => {
        // After a failed start, the next document in a spent process starts another spare.
        if (this.#spareProcess === newSpare) this.#spareProcess = undefined
      },
    )
  }

  async #startWarm(): Promise<OfficeProcess> {
    const office = await this.#start()
    try {
      await office.warmUp()
      return office
    } catch (cause) {
      await office.kill()
      throw new OfficeStartFailure('LibreOffice failed to convert a warm-up page.', { cause })
    }
  }

  /** Moves the spare process to an idle slot whose own process is spent. */
  #useSpare(slot: Slot): void {
    if (!slot.needsReplacement || !this.#spareProcess?.office) return
    this.#exitingProcesses = Promise.allSettled([
      this.#exitingProcesses,
      slot.office?.then((office) => office.kill()),
    ])
    void this.#startFresh(slot)
  }
}

/** Converts a document. Cancelling kills the process, because nothing else stops LibreOffice. */
async function convertInProcess(
  office: OfficeProcess,
  job: OfficeJob,
  signal: AbortSignal,
): Promise<OfficeFacts> {
  const onAbort = () => void office.kill()
  signal.throwIfAborted()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await office.convert(job)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Cleans up and returns the condition of the process; undefined if it is no longer usable. */
async function tryClear(office: OfficeProcess): Promise<OfficeCondition | undefined> {
  try {
    return await office.clear()
  } catch {
    // Whatever went wrong, the caller replaces the process.
    return undefined
  }
}
