/** A file received in a form. It is already stored, and is deleted after the request unless the handler adopts it. */
export interface ReceivedFile {
  readonly field: string
  readonly filename: string
  /** Key of the file in the bucket. */
  readonly key: string
  /** Size in bytes. */
  readonly size: number
  /** SHA-256 in lower-case hex. */
  readonly sha256: string
  /** Reads the bytes from `start` to `end` (exclusive). */
  read(start: number, end: number): Promise<Uint8Array>
  /** Keeps the file after the request. */
  adopt(): void
}
