/** A file of a form. It is already stored, and is deleted after the request unless the handler adopts it. */
export interface ReceivedFile {
  readonly field: string
  readonly filename: string
  /** Key in the bucket. */
  readonly key: string
  /** Bytes. */
  readonly size: number
  /** Lower-case hex. */
  readonly sha256: string
  /** Bytes `start` to `end` (exclusive). */
  read(start: number, end: number): Promise<Uint8Array>
  /** Keeps the file after the request. */
  adopt(): void
}
