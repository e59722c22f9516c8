import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import * as z from 'zod'
import { type AnyContract, contract } from '../../lib/http/contract.ts'
import { referencePageHeaders } from '../../lib/http/replies/security-headers.ts'
import { openAccess } from '../../lib/model/principal.ts'
import { webFolder } from '../../lib/page/asset-folder.ts'
import { loadPageDocument, loadPageFile } from '../../lib/page/page.ts'
import { createJsonSchema, text } from '../../lib/validation/maxima.ts'
import { getDocumentId, languages, type SectionId, sectionIds, sectionPaths } from '../web/section-paths.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

async function readAsset(folder: string, name: string) {
  const headers = {
    'content-type': types[extname(name)] ?? 'application/octet-stream',
    ...referencePageHeaders,
  }
  return { data: await readFile(join(folder, name)), headers }
}

const pageContract = { method: 'GET', access: openAccess, tag: 'Pages' } as const
const reply = {
  status: 200,
  schema: z.instanceof(Buffer).meta({ override: { type: 'string' } }),
  form: 'raw',
  etag: true,
  cacheControl: 'no-cache',
} as const
const AssetParams = z.object({ asset: text('id') })
const PageQuery = z.object({
  lang: text('id')
    .optional()
    .describe(
      `Language to use from now on: ${languages.join(', ')}; defaults to the language of the browser`,
    ),
})

/** Every path of a section returns the same page, which then shows that section. */
function createSectionContract(id: SectionId, path: string): AnyContract {
  const paramEntries = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, text('id')] as const)
  return contract({
    ...pageContract,
    path,
    summary: `The web page at ${id}`,
    query: PageQuery.catchall(createJsonSchema()),
    ...(paramEntries.length > 0 && { params: z.object(Object.fromEntries(paramEntries)) }),
    reply: { ...reply, contentType: 'text/html; charset=utf-8' },
    handle: (request, services) => loadPageDocument(getDocumentId(id, path), request, services),
  })
}

export const staticFiles: readonly AnyContract[] = [
  ...sectionIds.flatMap((id) => sectionPaths[id].map((path) => createSectionContract(id, path))),
  contract({
    ...pageContract,
    path: '/web/:asset',
    summary: 'A file of the web page',
    params: AssetParams,
    reply: { ...reply, contentType: 'text/javascript; charset=utf-8' },
    errors: ['NOT_FOUND'],
    handle: ({ params, headers }) =>
      params.asset === 'icon.svg' ? readAsset(webFolder, params.asset) : loadPageFile(params.asset, headers),
  }),
]
