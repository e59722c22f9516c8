import * as z from 'zod'
import { readAccount } from '../../lib/accounts/accounts.ts'
import { type AnyContract, contract } from '../../lib/http/contract.ts'
import type { OptionView } from '../../lib/http/openapi/option-view.ts'
import { readAccess } from '../../lib/model/principal.ts'
import { createJsonSchema, text } from '../../lib/validation/maxima.ts'
import { listConversions } from '../routes/list-conversions.ts'
import { getQuota } from '../routes/quota.ts'
import { callEndpoint, compatDefaults, dataReply, getPublicUrl, listReply } from './call-endpoint.ts'

interface Quotas {
  readonly quotas: readonly { readonly window: string; readonly remaining: number | null }[]
}

/** Number of credits shown if the plan has no limit, because the SDKs expect a number. */
const unlimitedCredits = 1_000_000

/** Returns the remaining requests of the day or month, whichever is lower. */
const getRemainingCredits = ({ quotas }: Quotas): number =>
  quotas
    .filter(({ window }) => window === 'day' || window === 'month')
    .reduce(
      (minRemaining, { remaining }) => Math.min(minRemaining, Math.floor(remaining ?? unlimitedCredits)),
      unlimitedCredits,
    )

const showUser = contract({
  ...compatDefaults,
  method: 'GET',
  path: '/v2/users/me',
  access: readAccess,
  summary: 'Get the current user',
  reply: { status: 200, ...dataReply },
  handle: async (request, services) => {
    const { principal } = request
    const [account, quotas] = await Promise.all([
      readAccount(services, principal.ownerId),
      callEndpoint<Quotas>(getQuota, request, {}, services),
    ])
    return {
      data: {
        data: {
          id: principal.ownerId,
          username: account?.name ?? '',
          email: account?.email ?? '',
          credits: getRemainingCredits(quotas),
          created_at: account?.createdAt ?? null,
          links: { self: `${getPublicUrl(services)}/v2/users/me` },
        },
      },
    }
  },
})

const FormatFilters = z
  .object({
    'filter[input_format]': text('id').optional(),
    'filter[output_format]': text('id').optional(),
    include: text('id').optional(),
  })
  .catchall(createJsonSchema())

interface Conversions {
  readonly conversions: readonly {
    readonly from: string
    readonly to: string
    readonly engines: readonly string[]
    readonly experimental: boolean
    readonly options?: readonly OptionView[]
  }[]
}

const toCompatOptionView = ({ name, type, default: defaultValue, enum: values }: OptionView) => ({
  name,
  type: type === 'number' ? 'float' : type,
  default: defaultValue ?? null,
  possible_values: values ?? [],
})

const createFormatsContract = (path: string) =>
  contract({
    ...compatDefaults,
    method: 'GET',
    path,
    access: readAccess,
    summary: 'List supported conversions',
    query: FormatFilters,
    reply: listReply,
    handle: async (request, services) => {
      const { 'filter[input_format]': from, 'filter[output_format]': to, include = '' } = request.query
      const query = { operation: 'convert', ...(from && { from }), ...(to && { to }) }
      const { conversions } = await callEndpoint<Conversions>(listConversions, request, { query }, services)
      const rows = conversions.map((pair) => ({
        operation: 'convert',
        input_format: pair.from,
        output_format: pair.to,
        engine: pair.engines[0] ?? null,
        credits: null,
        deprecated: false,
        experimental: pair.experimental,
        ...(include.split(',').includes('options') && {
          options: (pair.options ?? []).map(toCompatOptionView),
        }),
      }))
      return { data: { data: rows } }
    },
  })

export const infoContracts: readonly AnyContract[] = [
  showUser,
  createFormatsContract('/v2/convert/formats'),
  createFormatsContract('/v2/operations'),
]
