import type { CreateMissingPage } from '../http/replies/error-middleware.ts'
import { loadPageDocument } from './page.ts'

/** Renders the "not found" page. */
export const missingPage: CreateMissingPage = async ({ headers, cookies = [] }, services) => {
  const page = await loadPageDocument('none', { headers, cookies }, services)
  return {
    statusCode: 404,
    headers: { ...page.headers, 'cache-control': 'no-store' },
    body: page.data.toString('base64'),
    isBase64Encoded: true,
  }
}
