import { drawingScript } from './drawing-files.ts'
import type { WorkerReply, WorkerRequest } from './worker-messages.ts'

/** Pages of a PDF as pictures, wherever they are drawn. */
export interface PdfPages {
  readonly count: number
  /**
   * @param side pixels of the longer side
   * @returns the picture, or its address
   * @throws Unreadable for a page that cannot be drawn
   */
  draw(page: number, side: number): Promise<ImageBitmap | string>
  close(): void
}

/** What cannot be opened or drawn here. */
export class UnreadablePdf extends Error {
  /** `locked` needs a password, or another one. */
  readonly reason: 'locked' | 'unreadable'

  constructor(reason: 'locked' | 'unreadable') {
    super(reason)
    this.name = 'Unreadable'
    this.reason = reason
  }
}

interface PendingRequest {
  resolve(answer: WorkerReply): void
  reject(error: UnreadablePdf): void
}

let workerPort: MessagePort | undefined
const pending = new Map<number, PendingRequest>()
let lastId = 0

/** @throws Unreadable */
export async function openInWorker(file: File, password?: string): Promise<PdfPages> {
  const document = ++lastId
  const opened = await sendToWorker({ kind: 'open', document, file, password })
  return {
    count: 'pages' in opened ? opened.pages : 0,
    draw: async (page, side) => {
      const drawn = await sendToWorker({ kind: 'draw', document, page, side })
      if (!('bitmap' in drawn)) throw new UnreadablePdf('unreadable')
      return drawn.bitmap
    },
    close: () => void sendToWorker({ kind: 'close', document }).catch(() => {}),
  }
}

type RequestOf<Kind extends WorkerRequest['kind']> = Omit<WorkerRequest & { kind: Kind }, 'id'>

function sendToWorker(
  request: RequestOf<'open'> | RequestOf<'draw'> | RequestOf<'close'>,
): Promise<WorkerReply> {
  workerPort ??= startWorker()
  const port = workerPort
  const id = ++lastId
  return new Promise((resolve, reject) => {
    pending.set(id, { resolve, reject })
    port.postMessage({ ...request, id })
  })
}

/** One for all documents of the page; it stays, as it is what takes long to load. */
function startWorker(): MessagePort {
  const worker = new Worker(toTrustedUrl(new URL(`/web/${drawingScript}`, location.href).href), {
    type: 'module',
  })
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data }: MessageEvent<WorkerReply>) => {
    const request = pending.get(data.id)
    pending.delete(data.id)
    if ('failure' in data) request?.reject(new UnreadablePdf(data.failure))
    else request?.resolve(data)
  }
  worker.onerror = () => {
    worker.terminate()
    workerPort = undefined
    for (const [id, { reject }] of pending) {
      pending.delete(id)
      reject(new UnreadablePdf('unreadable'))
    }
  }
  // pdf.js listens, too, and expects objects.
  worker.postMessage({}, [port2])
  return port1
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): {
    createScriptURL(url: string): string
  }
}

/** The policy of the page lets no text become the address of a script, but for what a rule of this name has seen. */
function toTrustedUrl(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  trustedTypesPolicy ??= trustedTypes?.createPolicy('drawing', {
    createScriptURL: (scriptUrl) => {
      if (new URL(scriptUrl).origin !== location.origin)
        throw new TypeError('scripts come from the service alone')
      return scriptUrl
    },
  })
  return trustedTypesPolicy?.createScriptURL(url) ?? url
}
let trustedTypesPolicy: ReturnType<TrustedTypes['createPolicy']> | undefined
