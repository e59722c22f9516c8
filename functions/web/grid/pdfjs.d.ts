/**
 * Types of the parts of pdf.js in use: drawing and parsing, both in one worker. The package's own types include a whole
 * viewer, but not the parsing code.
 */
declare module 'pdfjs-dist/legacy/build/pdf.mjs' {
  export interface PDFPageProxy {
    getViewport(params: { scale: number }): { width: number; height: number }
    render(params: {
      canvas: null
      canvasContext: OffscreenCanvasRenderingContext2D
      viewport: { width: number; height: number }
    }): { promise: Promise<void>; cancel(): void }
    cleanup(): boolean
  }

  export interface PDFDocumentProxy {
    readonly numPages: number
    getPage(page: number): Promise<PDFPageProxy>
  }

  export class PDFDataRangeTransport {
    constructor(length: number, initialData: Uint8Array | null)
    requestDataRange(begin: number, end: number): void
    onDataRange(begin: number, chunk: Uint8Array | null): void
    abort(): void
  }

  export function getDocument(source: Record<string, unknown>): {
    readonly promise: Promise<PDFDocumentProxy>
    destroy(): Promise<void>
  }
}

declare module 'pdfjs-dist/legacy/build/pdf.worker.mjs'
