import CloudConvert from 'cloudconvert'

/**
 * A running service, an API key of that service, and the SDK of the other service, which uses the URL of the running
 * service.
 */
export interface CompatService {
  readonly url: string
  readonly key: string
  readonly sdk: CloudConvert
}

/** Creates a client of the unmodified SDK that sends its requests to another base URL. */
export function createSdk(url: string, key: string): CloudConvert {
  const client = new CloudConvert(key)
  const call = client.callWithBase.bind(client)
  client.callWithBase = (base: string, ...args) =>
    call(base.includes('//sync.') ? `${url}/sync/v2/` : `${url}/v2/`, ...args)
  return client
}

export type CompatCases = Readonly<Record<string, (service: CompatService) => Promise<void>>>

// biome-ignore lint/suspicious/noExplicitAny: replies of the compatibility API have no types here
export type AnyJson = any

export type SendRequest = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ status: number; body: AnyJson }>

/** Creates a function that sends requests with the key of a service and further headers. */
export const createSender =
  (
    { url, key }: Pick<CompatService, 'url' | 'key'>,
    moreHeaders: Readonly<Record<string, string>> = {},
  ): SendRequest =>
  async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...moreHeaders, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json().catch(() => undefined) }
  }
