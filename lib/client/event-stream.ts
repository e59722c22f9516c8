/** One server-sent event. */
interface StreamEvent {
  readonly name: string
  readonly id: string
  readonly data: string
}

/**
 * Yields the server-sent events of a response body (https://html.spec.whatwg.org/multipage/server-sent-events.html). A
 * `retry` field is yielded as an event named `retry`.
 */
export async function* parseEvents(
  body: ReadableStream<Uint8Array>,
  onChunk: () => void = () => undefined,
): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let remainder = ''
  let id = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onChunk()
      // A trailing CR may be the first half of a CRLF.
      const blocks = `${remainder}${value}`.replace(/\r\n|\r(?!$)/g, '\n').split('\n\n')
      remainder = blocks.pop() ?? ''
      for (const block of blocks) {
        const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line) ?? [])
        const findLastValue = (name: string) => fields.findLast(([, field]) => field === name)?.[2]
        id = findLastValue('id') ?? id
        const retry = findLastValue('retry')
        if (retry) yield { name: 'retry', id, data: retry }
        const data = fields.filter(([, field]) => field === 'data').map(([, , text]) => text)
        if (data.length > 0) yield { name: findLastValue('event') ?? 'message', id, data: data.join('\n') }
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
