// What clients rely on of each operation, beside the shapes that lib/client/api-types.ts has: `node
// test/functions/promises.ts` writes it anew into promises.txt, whose change is then a decision of somebody.
import { writeFile } from 'node:fs/promises'
import { routes } from '../../functions/routes/index.ts'
import type { AnyContract } from '../../lib/http/contract.ts'

export const kept = new URL('promises.txt', import.meta.url)

function promisesOf({
  method,
  path,
  access,
  body,
  reply,
  errors = [],
  ...more
}: AnyContract): Readonly<Record<string, readonly unknown[]>> {
  const { scopes, anonymous = false, ...wider } = access
  return {
    [method]: [path],
    status: [reply.status, ...Object.keys(reply.also ?? {}), reply.form ?? 'envelope'],
    of: [reply.contentType ?? 'JSON'],
    headers: reply.headers ?? [],
    kept: [...(reply.etag ? ['etag'] : []), reply.cacheControl ?? '', more.keptAs ? 'in memory' : ''],
    for: [...scopes, ...(anonymous === false ? [] : [`anonymous=${anonymous}`]), ...Object.keys(wider)],
    takes: [...(body?.accepts ?? []), ...Object.keys(body?.files ?? {}).map((name) => `file=${name}`)],
    also: [
      ...(more.idempotent ? ['idempotent'] : []),
      ...(more.handsOutIdentity ? ['identity'] : []),
      ...(typeof more.failureForm === 'string' ? [`errors of ${more.failureForm}`] : []),
    ],
    errors,
  }
}

export const promises = (): string =>
  routes
    .map((one) =>
      Object.entries(promisesOf(one))
        .map(([name, values]) => [name, values.filter((value) => value !== '').join(' ')] as const)
        .filter(([, text]) => text !== '')
        .map(([name, text]) => `${name} ${text}\n`)
        .join(''),
    )
    .join('\n')

if (import.meta.main) await writeFile(kept, promises())
