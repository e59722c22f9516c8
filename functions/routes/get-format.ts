import * as z from 'zod'
import { formatByAlias } from '../../lib/formats/index.ts'
import { createUnknownFormatError } from '../../lib/formats/unknown-format.ts'
import { contract } from '../../lib/http/contract.ts'
import { FormatView, getFormatViews } from '../../lib/http/openapi/format-view.ts'
import { readAccess } from '../../lib/model/principal.ts'
import { text } from '../../lib/validation/maxima.ts'

export const getFormat = contract({
  method: 'GET',
  path: '/v1/formats/:formatId',
  access: readAccess,
  tag: 'Formats',
  summary: 'Get a format and its target formats',
  description: 'Also finds a format by an alias, such as `jpeg` for `jpg`.',
  params: z.object({ formatId: text('id').describe('Id or alias of the format, such as `jpg` or `jpeg`') }),
  reply: { status: 200, schema: FormatView, etag: true, cacheControl: 'public, max-age=300' },
  errors: ['FORMAT_NOT_FOUND'],
  handle: async ({ params }, services) => {
    const id = formatByAlias(params.formatId)?.id
    const data = getFormatViews(await services.engines()).find((format) => format.id === id)
    if (data) return { data }
    throw createUnknownFormatError('FORMAT_NOT_FOUND', params.formatId, { formatId: params.formatId })
  },
})
