import type { SummaryRequest } from '../fidelity/summarize.ts'
import type { ByteSource } from '../formats/detect/byte-source.ts'
import type { PdfHint } from '../formats/detect.ts'
import { detectFormat } from '../formats/detect.ts'

/** What a decoder process can do with a file. */
export type MethodCall =
  | { readonly method: 'detectFormat'; readonly params: { readonly hint: PdfHint } }
  | { readonly method: 'summarize'; readonly params: SummaryRequest }

export async function runMethod(source: ByteSource, call: MethodCall): Promise<unknown> {
  if (call.method === 'detectFormat') return detectFormat(source, call.params.hint)
  // Imported on demand: functions that only detect formats are packaged without it.
  const { summarize } = await import('../fidelity/summarize.ts')
  return summarize(source, call.params)
}
