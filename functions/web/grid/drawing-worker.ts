import { getDocument, PDFDataRangeTransport, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'
// Leaves its half where the other looks for it, which then asks for no worker of its own.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs'
import type { Answer, Ask } from './worker-messages.ts'
import { isOfDrawing } from './drawing-files.ts'

/** Draws pages of local PDFs, away from the page, which stays quick whatever is in them. */

const documents = new Map<number, { readonly pdf: PDFDocumentProxy; close(): Promise<void> }>()

addEventListener('message', ({ ports: [port] }) => {
  if (!port) return
  port.onmessage = ({ data }: MessageEvent<Ask>) => {
    void answer(data).then((given) => port.postMessage(given, 'bitmap' in given ? [given.bitmap] : []))
  }
})

async function answer(asked: Ask): Promise<Answer> {
  try {
    switch (asked.kind) {
      case 'open':
        return { id: asked.id, pages: await open(asked) }
      case 'draw':
        return { id: asked.id, bitmap: await draw(asked) }
      case 'close':
        await documents.get(asked.document)?.close()
        documents.delete(asked.document)
        return { id: asked.id }
    }
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    return { id: asked.id, failure: name === 'PasswordException' ? 'locked' : 'unreadable' }
  }
}

/** Reads of the file what it needs, so that a large one is never in memory as a whole. */
class Reader extends PDFDataRangeTransport {
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

class Canvases {
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

  destroy(made: { canvas: OffscreenCanvas | null; context: unknown }) {
    if (made.canvas) made.canvas.width = made.canvas.height = 0
    made.canvas = made.context = null
  }
}

/** Filters of SVG need a document; without them pdf.js reckons the same by itself. */
const noFilters: unknown = new Proxy(class {}, {
  construct: () => new Proxy({}, { get: (_, name) => () => (name === 'destroy' ? undefined : 'none') }),
})

class Data {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    if (!isOfDrawing(filename)) throw new Error(`nothing is called ${filename}`)
    const response = await fetch(`/web/${filename}`)
    if (!response.ok) throw new Error(`${filename} is not there: ${response.status}`)
    return new Uint8Array(await response.arrayBuffer())
  }
}

async function open({ document, file, password }: Ask & { kind: 'open' }): Promise<number> {
  const task = getDocument({
    range: new Reader(file),
    ...(password && { password }),
    ...{ disableAutoFetch: true, disableStream: true, verbosity: 0 },
    ...{ ownerDocument: globalThis, CanvasFactory: Canvases, FilterFactory: noFilters },
    ...{ BinaryDataFactory: Data, useWorkerFetch: false, useSystemFonts: true },
    // The policy of the page allows no WebAssembly.
    ...{ useWasm: false, wasmUrl: '/web/', isOffscreenCanvasSupported: true, disableWorkerRendering: true },
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

async function draw({ document, page, side }: Ask & { kind: 'draw' }): Promise<ImageBitmap> {
  const opened = documents.get(document)
  if (!opened) throw new Error('the document was closed')
  const drawn = await opened.pdf.getPage(page)
  const whole = drawn.getViewport({ scale: 1 })
  const viewport = drawn.getViewport({ scale: side / Math.max(whole.width, whole.height, 1) })
  const canvas = new OffscreenCanvas(
    Math.max(1, Math.ceil(viewport.width)),
    Math.max(1, Math.ceil(viewport.height)),
  )
  const canvasContext = canvas.getContext('2d', { alpha: false })
  if (!canvasContext) throw new Error('there is nothing to draw on')
  await drawn.render({ canvas: null, canvasContext, viewport }).promise
  drawn.cleanup()
  return canvas.transferToImageBitmap()
}
