import CloudConvert from 'cloudconvert'

/** A running service, an API key, and the other service's SDK with its URL. */
export interface CompatService {
  readonly url: string
  readonly key: string
  readonly sdk: CloudConvert
}

/** The unmodified SDK with another base URL. */
export function sdkAt(url: string, key: string): CloudConvert {
  const client = new CloudConvert(key)
  const call = client.callWithBase.bind(client)
  client.callWithBase = (base: string, ...rest) =>
    call(base.includes('//sync.') ? `${url}/sync/v2/` : `${url}/v2/`, ...rest)
  return client
}

export type Cases = Readonly<Record<string, (service: CompatService) => Promise<void>>>

// biome-ignore lint/suspicious/noExplicitAny: replies of the compatibility API have no types here
export type Loose = any

export type Ask = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Loose }>

/** Sends requests with a key and the client's other headers. */
export const asking =
  (
    { url, key }: Pick<CompatService, 'url' | 'key'>,
    moreOptions: Readonly<Record<string, string>> = {},
  ): Ask =>
  async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...moreOptions, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json().catch(() => undefined) }
  }
