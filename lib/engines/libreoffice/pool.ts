import { removeOrphanedFolders } from '../sandbox/process-folder.ts'
import { OfficeCrash, type OfficeFacts, OfficeStartFailure } from './bridge.ts'
import {
  type OfficeJob,
  type OfficeProcess,
  OfficeRefusal,
  type OfficeSettings,
  officeFolderPrefix,
  startOffice,
} from './process.ts'

/** A swollen process slows all. */
const maxResidentKb = 700 * 1024

/** One crash may be bad luck or the last document's doing; two on different processes are this document's. */
const maxAttempts = 2

/** No document's doing, so it does not count as one of its attempts. */
const maxStarts = 3

export interface OfficePool {
  /**
   * @throws OfficeRefusal when the document cannot be converted, OfficeCrash when it ended two processes, the
   * signal's reason when aborted.
   */
  convert(job: OfficeJob, signal: AbortSignal): Promise<OfficeFacts>
  /** Starts one process, so that the next document need not wait for it. */
  warm(): Promise<void>
  close(): Promise<void>
}

interface Slot {
  /** Undefined until first needed. It may have died while idle, or its start may have failed. */
  office: Promise<OfficeProcess> | undefined
  documents: number
}

type Waiting = (slot: Slot) => void

interface OfficePoolSettings extends OfficeSettings {
  /** Processes at a time. */
  readonly size: number
  /** That a process converts before it is replaced. */
  readonly maxDocuments: number
}

/** Up to `size` office processes, started when needed; each converts one document at a time. */
export function createOfficePool(settings: OfficePoolSettings): OfficePool {
  const slots: Slot[] = Array.from({ length: settings.size }, () => ({ office: undefined, documents: 0 }))
  const free = [...slots]
  const waiting: Waiting[] = []
  let swept: Promise<void> | undefined
  let closed = false

  async function start(): Promise<OfficeProcess> {
    swept ??= removeOrphanedFolders(settings.baseDir, officeFolderPrefix)
    await swept
    for (let tries = 1; ; tries++) {
      if (closed) throw new Error('The office pool is closed.')
      try {
        return await startOffice(settings)
      } catch (error) {
        if (!(error instanceof OfficeStartFailure) || tries === maxStarts) throw error
      }
    }
  }

  function acquire(signal: AbortSignal): Promise<Slot> {
    signal.throwIfAborted()
    const started = free.findIndex((slot) => slot.office !== undefined)
    const [slot] = free.splice(Math.max(0, started), 1)
    if (slot) return Promise.resolve(slot)
    const { promise, resolve, reject } = Promise.withResolvers<Slot>()
    const onAbort = () => {
      waiting.splice(waiting.indexOf(take), 1)
      reject(signal.reason)
    }
    const take: Waiting = (slot) => {
      signal.removeEventListener('abort', onAbort)
      resolve(slot)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    waiting.push(take)
    return promise
  }

  function release(slot: Slot): void {
    const next = waiting.shift()
    if (next) next(slot)
    else free.push(slot)
  }

  async function officeOf(slot: Slot): Promise<OfficeProcess> {
    // A start that failed in the background is tried again for the one who needs it, who gets its error.
    const office = await slot.office?.catch(() => undefined)
    if (office?.alive) return office
    await office?.kill()
    return freshOffice(slot)
  }

  function freshOffice(slot: Slot): Promise<OfficeProcess> {
    slot.documents = 0
    slot.office = start()
    return slot.office
  }

  async function convertOnce(job: OfficeJob, signal: AbortSignal): Promise<OfficeFacts> {
    const slot = await acquire(signal)
    let office: OfficeProcess
    try {
      office = await officeOf(slot)
    } catch (error) {
      release(slot)
      throw error
    }
    let isWhole = false
    slot.documents++
    try {
      const facts = await convertOn(office, job, signal)
      isWhole = true
      return facts
    } catch (error) {
      isWhole = error instanceof OfficeRefusal
      throw error
    } finally {
      if (isWhole && slot.documents < settings.maxDocuments && (await isFit(office))) release(slot)
      else void replace(slot, office)
    }
  }

  /** In the background: the result is there, and its client need not wait for the next process. */
  async function replace(slot: Slot, office: OfficeProcess): Promise<void> {
    slot.office = office.kill().then(() => freshOffice(slot))
    await slot.office.catch(() => undefined)
    release(slot)
  }

  return {
    async convert(job, signal) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await convertOnce(job, signal)
        } catch (error) {
          const isCrash = error instanceof OfficeCrash && !(error instanceof OfficeStartFailure)
          if (!isCrash || attempt === maxAttempts) throw error
        }
      }
    },
    async warm() {
      const slot = await acquire(AbortSignal.timeout(60_000))
      try {
        await officeOf(slot)
      } finally {
        release(slot)
      }
    },
    async close() {
      closed = true
      const offices = await Promise.allSettled(slots.map((slot) => slot.office))
      await Promise.all(offices.map((office) => office.status === 'fulfilled' && office.value?.kill()))
    },
  }
}

/** A cancelled document takes the process that computes it along; nothing else stops LibreOffice. */
async function convertOn(office: OfficeProcess, job: OfficeJob, signal: AbortSignal): Promise<OfficeFacts> {
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

/** Clears up after a document, and tells whether the process may see another. */
async function isFit(office: OfficeProcess): Promise<boolean> {
  try {
    const { residentKb, staleFonts } = await office.clear()
    return residentKb <= maxResidentKb && !staleFonts
  } catch {
    // Whatever is wrong with it: the caller replaces it.
    return false
  }
}
