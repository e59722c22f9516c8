/** `fetch` functions that simulate network failures. */

export type Fetch = typeof fetch
export const getPath = (input: Parameters<Fetch>[0]) =>
  new URL(input instanceof Request ? input.url : input).pathname

/** Returns a `fetch` that passes the first request to a matching path to `respond`. */
export function interceptFirst(
  path: RegExp,
  respond: (sendRequest: () => Promise<Response>) => Promise<Response>,
): Fetch {
  let hasIntercepted = false
  return (input, init) => {
    if (hasIntercepted || !path.test(getPath(input))) return fetch(input, init)
    hasIntercepted = true
    return respond(() => fetch(input, init))
  }
}

/** Sends the request, but the response body fails in the middle, as if the connection broke. */
export async function breakOffBody(sendRequest: () => Promise<Response>): Promise<Response> {
  const response = await sendRequest()
  const bytes = new Uint8Array(await response.arrayBuffer())
  const body = new ReadableStream({
    pull: (controller) => {
      controller.enqueue(bytes.slice(0, bytes.length / 2))
      controller.error(new TypeError('the connection broke'))
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
