/** What the page and the worker that draws say to each other. */

export type WorkerRequest = { readonly id: number; readonly document: number } & (
  | { readonly kind: 'open'; readonly file: File; readonly password?: string | undefined }
  /** So many pixels on the longer side. */
  | { readonly kind: 'draw'; readonly page: number; readonly side: number }
  | { readonly kind: 'close' }
)

export type WorkerReply = { readonly id: number } & (
  | { readonly pages: number }
  | { readonly bitmap: ImageBitmap }
  | { readonly failure: 'locked' | 'unreadable' }
  | object
)
