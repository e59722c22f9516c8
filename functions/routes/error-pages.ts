import * as z from 'zod'
import { type ErrorCode, errorCatalog, errorCodes } from '../../lib/error-catalog.ts'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import { toErrorSlug, toErrorTitle } from '../../lib/http/replies/envelope.ts'
import { text } from '../../lib/validation/maxima.ts'
import { htmlPageContract, htmlPageHeaders, renderHtmlPage } from './html-page.ts'

/**
 * The pages that the `type` URLs of errors lead to (RFC 9457, 3.1.1: "it SHOULD provide human-readable documentation").
 */

function renderPage(code: ErrorCode): string {
  const { status, description, hint } = errorCatalog[code]
  const title = toErrorTitle(code)
  return renderHtmlPage(
    title,
    `<h1>${title}</h1><p><code>${code}</code>, HTTP status ${status}</p><dl><dt>What it means</dt><dd>${description}</dd><dt>What to do</dt><dd>${hint}</dd></dl><p><a href="/errors">All errors</a> · <a href="/docs">Reference</a></p>`,
  )
}

const renderErrorList = () =>
  renderHtmlPage(
    'Errors',
    `<h1>Errors</h1><dl>${errorCodes
      .map((code) => {
        const { status, description } = errorCatalog[code]
        return `<dt><a href="/errors/${toErrorSlug(code)}">${toErrorTitle(code)}</a> <code>${code}</code> ${status}</dt><dd>${description}</dd>`
      })
      .join('')}</dl><p><a href="/">Mutabor</a> · <a href="/docs">Reference</a></p>`,
  )

export const errorPages = [
  contract({
    ...htmlPageContract,
    path: '/errors',
    summary: 'Page with all errors',
    cacheKey: () => 'all',
    handle: () => ({ data: renderErrorList(), headers: htmlPageHeaders }),
  }),
  contract({
    ...htmlPageContract,
    path: '/errors/:error',
    summary: 'Page about an error and how to fix it',
    params: z.object({ error: text('id') }),
    errors: ['NOT_FOUND'],
    handle: ({ params }) => {
      const code = errorCodes.find((errorCode) => toErrorSlug(errorCode) === params.error.toLowerCase())
      if (code) return { data: renderPage(code), headers: htmlPageHeaders }
      throw new AppError('NOT_FOUND', `There is no error with that name. /errors lists all errors.`)
    },
  }),
]
