import { readFile } from 'node:fs/promises'

/** A request to an operation of the API. */
export interface OperationRequest {
  readonly method?: 'POST' | 'PATCH' | 'DELETE'
  /** For example `/v1/jobs/:jobId`. */
  readonly path: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** Text fields, and files of test/fixtures as `@name`. */
  readonly form?: Readonly<Record<string, string | readonly string[]>>
  readonly urlEncoded?: Readonly<Record<string, string | number>>
  readonly waits?: true
  readonly headers?: Readonly<Record<string, string>>
}

export function fixture(name: string): Promise<Buffer> {
  return readFile(new URL(`../fixtures/${name}`, import.meta.url))
}

/** Returns the body of a request, and what to show of it. */
export async function createBody({
  json,
  form,
  urlEncoded,
}: OperationRequest): Promise<{ init: RequestInit; kept: object }> {
  if (json !== undefined) {
    const init = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }
    return { init, kept: { 'application/json': json } }
  }
  if (urlEncoded) {
    const texts = Object.fromEntries(Object.entries(urlEncoded).map(([name, value]) => [name, String(value)]))
    const formByType = { 'application/x-www-form-urlencoded': urlEncoded }
    return { init: { body: new URLSearchParams(texts) }, kept: formByType }
  }
  if (!form) return { init: {}, kept: {} }
  const body = new FormData()
  for (const [name, values] of Object.entries(form)) {
    for (const value of [values].flat()) {
      if (value.startsWith('@')) body.append(name, new Blob([await fixture(value.slice(1))]), value.slice(1))
      else body.append(name, value)
    }
  }
  // An example shows only the first of several files with the same field name.
  const keptFields = Object.fromEntries(
    Object.entries(form).map(([name, values]) => [name, [values].flat()[0]]),
  )
  return { init: { body }, kept: { 'multipart/form-data': keptFields } }
}
