import * as z from 'zod'
import { accountOf } from '../../lib/access/accounts.ts'
import { read } from '../../lib/access/principal.ts'
import { type AnyContract, contract } from '../../lib/http/contract.ts'
import { listConversions } from '../routes/list-conversions.ts'
import { ask, baseOf, common, data, listed } from './ask.ts'

const showUser = contract({
  ...common,
  method: 'GET',
  path: '/v2/users/me',
  access: read,
  summary: 'See who you are',
  reply: { status: 200, ...data },
  handle: async ({ principal }, services) => {
    const account = await accountOf(services, principal.ownerId)
    return {
      data: {
        data: {
          id: principal.ownerId,
          username: account?.name ?? null,
          email: account?.email ?? null,
          credits: null,
          created_at: account?.createdAt ?? null,
          links: { self: `${baseOf(services)}/v2/users/me` },
        },
      },
    }
  },
})

const FormatFilters = z.looseObject({
  'filter[input_format]': z.string().optional(),
  'filter[output_format]': z.string().optional(),
})

interface Conversions {
  readonly conversions: readonly {
    readonly from: string
    readonly to: string
    readonly engines: readonly string[]
  }[]
}

const formatsAt = (path: string) =>
  contract({
    ...common,
    method: 'GET',
    path,
    access: read,
    summary: 'List what converts to what',
    query: FormatFilters,
    reply: listed,
    handle: async (request, services) => {
      const { 'filter[input_format]': from, 'filter[output_format]': to } = request.query
      const query = { operation: 'convert', ...(from && { from }), ...(to && { to }) }
      const { conversions } = await ask<Conversions>(listConversions, request, { query }, services)
      const rows = conversions.map((pair) => ({
        operation: 'convert',
        input_format: pair.from,
        output_format: pair.to,
        engine: pair.engines[0] ?? null,
        credits: null,
      }))
      return { data: { data: rows } }
    },
  })

export const lookContracts: readonly AnyContract[] = [
  showUser,
  formatsAt('/v2/convert/formats'),
  formatsAt('/v2/operations'),
]
