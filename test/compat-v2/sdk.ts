import CloudConvert from 'cloudconvert'

/** A running service, a key of it, and the other service's SDK pointed at it. */
export interface Facade {
  readonly url: string
  readonly key: string
  readonly sdk: CloudConvert
}

/** Its SDK as it is, but for the address. */
export function sdkAt(url: string, key: string): CloudConvert {
  const client = new CloudConvert(key)
  const call = client.callWithBase.bind(client)
  client.callWithBase = (base: string, ...rest) =>
    call(base.includes('//sync.') ? `${url}/sync/v2/` : `${url}/v2/`, ...rest)
  return client
}

export type Cases = Readonly<Record<string, (facade: Facade) => Promise<void>>>

// biome-ignore lint/suspicious/noExplicitAny: what other services answer is looked into, not described
export type Loose = any

export type Ask = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Loose }>

/** Requests with a key, and with the headers that a client sends beside it. */
export const asking =
  ({ url, key }: Pick<Facade, 'url' | 'key'>, more: Readonly<Record<string, string>> = {}): Ask =>
  async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...more, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json().catch(() => undefined) }
  }
