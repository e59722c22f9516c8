import type { CreateMissingPage } from '../http/replies/error-middleware.ts'
import { pageDocument } from './page.ts'

/** The "not found" page. */
export const missingPage: CreateMissingPage = async ({ headers, cookies = [] }, services) => {
  const page = await pageDocument('none', { headers, cookies }, services)
  return {
    statusCode: 404,
    headers: { ...page.headers, 'cache-control': 'no-store' },
    body: page.data.toString('base64'),
    isBase64Encoded: true,
  }
}
