/** Lines between a client and the service on which things happen. */

export type Fetch = typeof fetch
export const pathOf = (input: Parameters<Fetch>[0]) =>
  new URL(input instanceof Request ? input.url : input).pathname

/** Its first request to such a path is answered by `answer`. */
export function interceptFirst(
  path: RegExp,
  respond: (sendRequest: () => Promise<Response>) => Promise<Response>,
): Fetch {
  let hasIntercepted = false
  return (input, init) => {
    if (hasIntercepted || !path.test(pathOf(input))) return fetch(input, init)
    hasIntercepted = true
    return respond(() => fetch(input, init))
  }
}

/** The body ends in the middle, as on a line that breaks. */
export async function breakOffBody(sendRequest: () => Promise<Response>): Promise<Response> {
  const response = await sendRequest()
  const bytes = new Uint8Array(await response.arrayBuffer())
  const body = new ReadableStream({
    pull: (controller) => {
      controller.enqueue(bytes.slice(0, bytes.length / 2))
      controller.error(new TypeError('the line broke'))
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
