/** Messages between the page and the drawing worker. */

export type WorkerRequest = { readonly id: number; readonly document: number } & (
  | { readonly kind: 'open'; readonly file: File; readonly password?: string | undefined }
  /** `maxSidePx` is the longer side of the image in pixels. */
  | { readonly kind: 'draw'; readonly page: number; readonly maxSidePx: number }
  | { readonly kind: 'close' }
)

export type WorkerReply = { readonly id: number } & (
  | { readonly pages: number }
  | { readonly bitmap: ImageBitmap }
  | { readonly failure: 'locked' | 'unreadable' }
  | object
)
