import type { SummaryRequest } from '../fidelity/summarize.ts'
import { type ByteSource, openByteSource } from '../formats/detect/byte-source.ts'
import type { PdfHint } from '../formats/detect.ts'
import { detectFromContent } from '../formats/detect.ts'

/** A call of a method that decoder processes offer for files. */
export type MethodCall =
  | { readonly method: 'detectFormat'; readonly params: { readonly hint: PdfHint } }
  | { readonly method: 'summarize'; readonly params: SummaryRequest }
  | { readonly method: 'listPages'; readonly params: object }

export async function runMethod(source: ByteSource, call: MethodCall): Promise<unknown> {
  if (call.method === 'detectFormat') return detectFromContent(source, call.params.hint)
  if (call.method === 'listPages') {
    const { readPageList } = await import('../engines/pdf/pages-zip.ts')
    return (await readPageList(await openByteSource(source))) ?? null
  }
  // Imported on demand: functions that only detect formats are packaged without it.
  const { summarize } = await import('../fidelity/summarize.ts')
  return summarize(source, call.params)
}
