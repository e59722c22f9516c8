import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { createAuthApi } from '../../functions/auth.ts'
import { createAuth } from '../../lib/access/auth/auth.ts'
import { disabledAuthPaths } from '../../lib/access/auth/disabled-paths.ts'
import { authEndpoints } from '../../lib/access/auth/endpoints/index.ts'
import { getAuthOperationId } from '../../lib/http/openapi/auth-paths.ts'
import { openApp } from '../http/embedded-app.ts'
import { recordAuthEndpoints } from './support/every-auth-endpoint.ts'
import { openBrowser } from './test-browser.ts'

interface Endpoint {
  readonly path?: string
  readonly options: {
    readonly method: string | readonly string[]
    readonly body?: z.ZodType
    readonly query?: z.ZodType
  }
}

/** Endpoints that better-auth refuses with our options. */
const unusedMethods = ['POST /get-session']

/** Returns the names of all fields, and of the required ones. */
function getFields(schema: z.ZodType | undefined) {
  if (!schema) return { names: [], required: [] }
  const { properties, required, allOf } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const own = properties ?? allOf?.[0]?.properties ?? {}
  return { names: Object.keys(own), required: [...(required ?? allOf?.[0]?.required ?? [])].sort() }
}

test('the OpenAPI document lists every enabled better-auth endpoint, with its required fields and no unknown fields', async () => {
  const app = await openApp()
  const { api } = createAuth({ services: app.services })
  await app.close()
  const servedEndpoints = (Object.values(api) as readonly Endpoint[])
    .filter(({ path }) => path !== undefined && !disabledAuthPaths.includes(path))
    .flatMap(({ path, options }) =>
      [options.method].flat().map((method) => ({ name: `${method} ${path}`, ...options })),
    )
    .filter(({ name }) => !unusedMethods.includes(name))
  const documentedEndpoints = new Map(
    authEndpoints.map((authEndpoint) => [`${authEndpoint.method} ${authEndpoint.path}`, authEndpoint]),
  )
  assert.deepEqual([...documentedEndpoints.keys()].sort(), servedEndpoints.map(({ name }) => name).sort())
  for (const { name, body, query } of servedEndpoints) {
    const endpoint = documentedEndpoints.get(name)
    const isCallback = name.includes('/callback/')
    for (const [place, known, shown] of [
      ['body', name.startsWith('GET') ? undefined : body, endpoint?.body],
      ['query', isCallback && name.startsWith('POST') ? undefined : query, endpoint?.query],
    ] as const) {
      const { names, required } = getFields(known)
      const own = getFields(shown)
      assert.deepEqual(own.required, required, `${name} ${place}`)
      // better-auth has no schema for the body of `update-user` and the query of `error`.
      if (name !== 'POST /update-user' && name !== 'GET /error')
        assert.deepEqual(
          own.names.filter((field) => !names.includes(field)),
          [],
          `${name} ${place}`,
        )
    }
  }
})

test('every better-auth endpoint in the OpenAPI document can be called successfully', async () => {
  const recordedEndpoints = await recordAuthEndpoints()
  assert.deepEqual(Object.keys(recordedEndpoints).sort(), authEndpoints.map(getAuthOperationId).sort())
})

test('better-auth endpoints that the service does not use return 404', async () => {
  const app = await openApp()
  const { send } = openBrowser(app, createAuthApi(app.services))
  for (const path of disabledAuthPaths)
    for (const method of ['GET', 'POST']) {
      const { status, json } = await send(method, `/v1/auth${path}`, method === 'POST' ? {} : undefined)
      assert.deepEqual([status, json.code], [404, 'NOT_FOUND'], path)
    }
  await app.close()
})
