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
  /** Goes on until there is a spare one. */
  isSpent: boolean
}

/** Started and warmed up beside the others, to take the place of one that is spent. */
interface Spare {
  readonly start: Promise<OfficeProcess>
  /** When it is ready. */
  office?: OfficeProcess
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
  const slots: Slot[] = Array.from({ length: settings.size }, () => ({
    office: undefined,
    documents: 0,
    isSpent: false,
  }))
  const free = [...slots]
  const waiting: Waiting[] = []
  let spare: Spare | undefined
  /** The end of those that were spent. */
  let parting: Promise<unknown> = Promise.resolve()
  /** Slots whose document has its result. */
  let settling = 0
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
    // One that clears up is free sooner than a new one has started.
    const isSoonFree = started < 0 && settling > waiting.length
    const [slot] = isSoonFree ? [] : free.splice(Math.max(0, started), 1)
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
    renew(slot)
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
    slot.isSpent = false
    slot.office = spare?.start ?? start()
    spare = undefined
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
      // In the background: the result is there, and its client need not wait for what is done for the next one.
      void settle(slot, office, isWhole)
    }
  }

  async function settle(slot: Slot, office: OfficeProcess, isWhole: boolean): Promise<void> {
    settling++
    const condition = isWhole ? await cleared(office) : undefined
    settling--
    if (!condition || condition.staleFonts) {
      await replace(slot, office)
      return
    }
    slot.isSpent = slot.documents >= settings.maxDocuments || condition.residentKb > maxResidentKb
    if (slot.isSpent) prepareSpare()
    release(slot)
  }

  async function replace(slot: Slot, office: OfficeProcess): Promise<void> {
    slot.office = office.kill().then(() => freshOffice(slot))
    await slot.office.catch(() => undefined)
    release(slot)
  }

  /** One at a time: a start takes a core for a second. */
  function prepareSpare(): void {
    if (spare) return
    const own: Spare = { start: startWarm() }
    spare = own
    own.start.then(
      (office) => {
        own.office = office
        for (const slot of free) renew(slot)
      },
      () => {
        // The next document of a spent one asks for another.
        if (spare === own) spare = undefined
      },
    )
  }

  async function startWarm(): Promise<OfficeProcess> {
    const office = await start()
    try {
      await office.warmUp()
      return office
    } catch (cause) {
      await office.kill()
      throw new OfficeStartFailure('The office did not convert a page of our own.', { cause })
    }
  }

  /** Gives a slot that nobody uses the spare one, where its own is spent. */
  function renew(slot: Slot): void {
    if (!slot.isSpent || !spare?.office) return
    parting = Promise.allSettled([parting, slot.office?.then((office) => office.kill())])
    void freshOffice(slot)
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
      const offices = await Promise.allSettled([spare?.start, ...slots.map((slot) => slot.office)])
      await Promise.all(offices.map((office) => office.status === 'fulfilled' && office.value?.kill()))
      await parting
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

/** How it is after what its last document left was cleared up; undefined when it is of no more use. */
async function cleared(office: OfficeProcess): Promise<OfficeCondition | undefined> {
  try {
    return await office.clear()
  } catch {
    // Whatever is wrong with it: the caller replaces it.
    return undefined
  }
}
