import { drawingScript } from './drawing-files.ts'
import type { WorkerReply, WorkerRequest } from './worker-messages.ts'

/** Pages of a PDF as images, drawn either by the browser or by the service. */
export interface PdfPages {
  readonly count: number
  /**
   * Draws a page.
   * @param maxSidePx longer side in pixels
   * @returns the image or its URL
   * @throws LocalPdfError if the page cannot be drawn
   */
  draw(page: number, maxSidePx: number): Promise<ImageBitmap | string>
  close(): void
}

/** A PDF that cannot be opened or drawn in the browser. */
export class LocalPdfError extends Error {
  /** `locked` means that the password is missing or wrong. */
  readonly reason: 'locked' | 'unreadable'

  constructor(reason: 'locked' | 'unreadable') {
    super(reason)
    this.name = 'Unreadable'
    this.reason = reason
  }
}

interface PendingRequest {
  resolve(workerReply: WorkerReply): void
  reject(error: LocalPdfError): void
}

let workerPort: MessagePort | undefined
const pendingRequests = new Map<number, PendingRequest>()
let lastId = 0

/** Opens a PDF in the drawing worker. @throws LocalPdfError */
export async function openInWorker(file: File, password?: string): Promise<PdfPages> {
  const documentId = ++lastId
  const openReply = await sendToWorker({ kind: 'open', document: documentId, file, password })
  return {
    count: 'pages' in openReply ? openReply.pages : 0,
    draw: async (page, maxSidePx) => {
      const drawReply = await sendToWorker({ kind: 'draw', document: documentId, page, maxSidePx })
      if (!('bitmap' in drawReply)) throw new LocalPdfError('unreadable')
      return drawReply.bitmap
    },
    close: () => void sendToWorker({ kind: 'close', document: documentId }).catch(() => {}),
  }
}

type RequestOfKind<Kind extends WorkerRequest['kind']> = Omit<WorkerRequest & { kind: Kind }, 'id'>

function sendToWorker(
  request: RequestOfKind<'open'> | RequestOfKind<'draw'> | RequestOfKind<'close'>,
): Promise<WorkerReply> {
  workerPort ??= startWorker()
  const port = workerPort
  const id = ++lastId
  return new Promise((resolve, reject) => {
    pendingRequests.set(id, { resolve, reject })
    port.postMessage({ ...request, id })
  })
}

/** One worker for all documents. It is never stopped, because it takes long to load. */
function startWorker(): MessagePort {
  const worker = new Worker(toTrustedUrl(new URL(`/web/${drawingScript}`, location.href).href), {
    type: 'module',
  })
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data }: MessageEvent<WorkerReply>) => {
    const request = pendingRequests.get(data.id)
    pendingRequests.delete(data.id)
    if ('failure' in data) request?.reject(new LocalPdfError(data.failure))
    else request?.resolve(data)
  }
  worker.onerror = () => {
    worker.terminate()
    workerPort = undefined
    for (const [id, { reject }] of pendingRequests) {
      pendingRequests.delete(id)
      reject(new LocalPdfError('unreadable'))
    }
  }
  // pdf.js listens for messages too and expects each to be an object.
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

/** The content security policy only accepts script URLs from the Trusted Types policy `drawing`. */
function toTrustedUrl(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes } // not in TypeScript's DOM types
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
