import type { ByteSource } from '../formats/detect/byte-source.ts'
import type { PdfHint } from '../formats/detect.ts'
import { detectFormat } from '../formats/detect.ts'

export interface DetectParams {
  readonly hint: PdfHint
}

/** What a decoder process can do with a file. */
export const methods = {
  detectFormat: (source: ByteSource, { hint }: DetectParams) => detectFormat(source, hint),
} as const
