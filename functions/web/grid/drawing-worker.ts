import { getDocument, PDFDataRangeTransport, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'
// Registers pdf.js's parsing code globally, so that its drawing code starts no other worker.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs'
import { isDrawingFile } from './drawing-files.ts'
import type { WorkerReply, WorkerRequest } from './worker-messages.ts'

/** Draws pages of local PDFs in a worker, so that the page stays responsive. */

const documents = new Map<number, { readonly pdf: PDFDocumentProxy; close(): Promise<void> }>()

addEventListener('message', ({ ports: [port] }) => {
  if (!port) return
  port.onmessage = ({ data }: MessageEvent<WorkerRequest>) => {
    void handleRequest(data).then((reply) => port.postMessage(reply, 'bitmap' in reply ? [reply.bitmap] : []))
  }
})

async function handleRequest(request: WorkerRequest): Promise<WorkerReply> {
  try {
    switch (request.kind) {
      case 'open':
        return { id: request.id, pages: await openDocument(request) }
      case 'draw':
        return { id: request.id, bitmap: await drawPage(request) }
      case 'close':
        await documents.get(request.document)?.close()
        documents.delete(request.document)
        return { id: request.id }
    }
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    return { id: request.id, failure: name === 'PasswordException' ? 'locked' : 'unreadable' }
  }
}

/** Reads only the byte ranges that pdf.js needs, so that a large file is never completely in memory. */
class FileRangeTransport extends PDFDataRangeTransport {
  readonly #file: File

  constructor(file: File) {
    super(file.size, null)
    this.#file = file
  }

  override requestDataRange(begin: number, end: number): void {
    void this.#file
      .slice(begin, end)
      .arrayBuffer()
      .then((bytes) => this.onDataRange(begin, new Uint8Array(bytes)))
  }
}

class CanvasFactory {
  create(width: number, height: number) {
    const canvas = new OffscreenCanvas(Math.ceil(width), Math.ceil(height))
    return { canvas, context: canvas.getContext('2d', { willReadFrequently: true }) }
  }

  getNoAlphaContext(canvas: OffscreenCanvas) {
    return canvas.getContext('2d', { alpha: false, willReadFrequently: true })
  }

  reset({ canvas }: { canvas: OffscreenCanvas }, width: number, height: number) {
    canvas.width = Math.ceil(width)
    canvas.height = Math.ceil(height)
  }

  destroy(entry: { canvas: OffscreenCanvas | null; context: unknown }) {
    if (entry.canvas) entry.canvas.width = entry.canvas.height = 0
    entry.canvas = entry.context = null
  }
}

/** Replaces SVG filters, which need a document; without them, pdf.js computes the same effects itself. */
const noopFilterFactory: unknown = new Proxy(class {}, {
  construct: () => new Proxy({}, { get: (_, name) => () => (name === 'destroy' ? undefined : 'none') }),
})

class DataFactory {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    if (!isDrawingFile(filename)) throw new Error(`unknown file ${filename}`)
    const response = await fetch(`/web/${filename}`)
    if (!response.ok) throw new Error(`could not load ${filename}: HTTP ${response.status}`)
    return new Uint8Array(await response.arrayBuffer())
  }
}

async function openDocument({ document, file, password }: WorkerRequest & { kind: 'open' }): Promise<number> {
  const task = getDocument({
    range: new FileRangeTransport(file),
    ...(password && { password }),
    disableAutoFetch: true,
    disableStream: true,
    verbosity: 0,
    ownerDocument: globalThis,
    CanvasFactory,
    FilterFactory: noopFilterFactory,
    BinaryDataFactory: DataFactory,
    useWorkerFetch: false,
    useSystemFonts: true,
    // The content security policy forbids WebAssembly.
    useWasm: false,
    wasmUrl: '/web/',
    isOffscreenCanvasSupported: true,
    disableWorkerRendering: true,
  })
  try {
    const pdf = await task.promise
    documents.set(document, { pdf, close: () => task.destroy() })
    return pdf.numPages
  } catch (error) {
    await task.destroy()
    throw error
  }
}

async function drawPage({
  document,
  page,
  maxSidePx,
}: WorkerRequest & { kind: 'draw' }): Promise<ImageBitmap> {
  const openedDocument = documents.get(document)
  if (!openedDocument) throw new Error('the document was closed')
  const pdfPage = await openedDocument.pdf.getPage(page)
  const unscaledViewport = pdfPage.getViewport({ scale: 1 })
  const viewport = pdfPage.getViewport({
    scale: maxSidePx / Math.max(unscaledViewport.width, unscaledViewport.height, 1),
  })
  const canvas = new OffscreenCanvas(
    Math.max(1, Math.ceil(viewport.width)),
    Math.max(1, Math.ceil(viewport.height)),
  )
  const canvasContext = canvas.getContext('2d', { alpha: false })
  if (!canvasContext) throw new Error('there is nothing to draw on')
  await pdfPage.render({ canvas: null, canvasContext, viewport }).promise
  pdfPage.cleanup()
  return canvas.transferToImageBitmap()
}
