// The program of a reader process: counts the content of files, one at a time (see reader-processes.ts).
import { getHeapStatistics } from 'node:v8'
import { type ContentRequest, readContent } from './content-readers.ts'
import { type SummaryMessage, toMessage } from './content-summary.ts'
import { CountingStopped } from './read-errors.ts'

/** `heapBytes`: heap of the process, of which most may be garbage. */
export type ReaderReply = { readonly heapBytes: number } & ReadResult

type ReadResult =
  | { readonly type: 'summary'; readonly summary: SummaryMessage | undefined }
  /** The file needs too much. */
  | { readonly type: 'stopped'; readonly reason: string }
  /** A bug. */
  | { readonly type: 'failed'; readonly message: string }

async function read(request: ContentRequest): Promise<ReadResult> {
  try {
    const summary = await readContent(request)
    return { type: 'summary', summary: summary && toMessage(summary) }
  } catch (error) {
    if (error instanceof CountingStopped) return { type: 'stopped', reason: error.message }
    return {
      type: 'failed',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }
  }
}

process.on('message', async (request: ContentRequest) => {
  const result = await read(request)
  const { total_heap_size: heapBytes } = getHeapStatistics()
  process.send?.({ ...result, heapBytes } satisfies ReaderReply)
})
process.on('disconnect', () => process.exit(0))
