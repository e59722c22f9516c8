import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { extname, join } from 'node:path'
import * as z from 'zod'
import { open } from '../../lib/access/principal.ts'
import { swaggerFolder, webFolder } from '../../lib/assets.ts'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import { pageHeaders } from '../../lib/http/page-headers.ts'

/** Only these leave the folders; whatever else a path names does not exist. */
export const webAssets = [
  'app.css',
  'card.css',
  'choice.css',
  'controls.css',
  'icon.svg',
  'api.ts',
  'app.ts',
  'busy-view.ts',
  'card.ts',
  'catalogue.ts',
  'conversion.ts',
  'done-view.ts',
  'element.ts',
  'incoming.ts',
  'kept-words.ts',
  'kinds.ts',
  'live.ts',
  'option-form.ts',
  'preview.ts',
  'ready-view.ts',
  'remembered.ts',
  'slots.ts',
  'stranded-view.ts',
  'target-picker.ts',
  'together.ts',
  'upload.ts',
  'words.ts',
] as const
const swaggerAssets = ['swagger-ui.css', 'swagger-ui-bundle.js', 'docs.js', 'docs.css'] as const

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

async function load(path: string): Promise<Buffer> {
  const bytes = await readFile(path)
  // The page is TypeScript as well; browsers get it without the types.
  return extname(path) === '.ts' ? Buffer.from(stripTypeScriptTypes(bytes.toString('utf8'))) : bytes
}

async function asset(folder: string, name: string) {
  const headers = { 'content-type': types[extname(name)] ?? 'application/octet-stream', ...pageHeaders }
  return { data: await load(join(folder, name)), headers }
}

function listed(name: string, assets: readonly string[]): string {
  if (assets.includes(name)) return name
  throw new AppError('NOT_FOUND', `There is no file "${name.slice(0, 64)}" here.`)
}

const page = { method: 'GET', access: open, tag: 'Pages' } as const
const reply = {
  status: 200,
  schema: z.instanceof(Buffer).meta({ override: { type: 'string' } }),
  form: 'raw',
  etag: true,
  cacheControl: 'no-cache',
} as const
const AssetParams = z.object({ asset: z.string() })

export const staticFiles = [
  contract({
    ...page,
    path: '/',
    summary: 'The web page',
    reply: { ...reply, contentType: 'text/html; charset=utf-8' },
    keptAs: () => 'page',
    handle: () => asset(webFolder, 'index.html'),
  }),
  contract({
    ...page,
    path: '/web/:asset',
    summary: 'A file of the web page',
    params: AssetParams,
    reply: { ...reply, contentType: 'text/javascript; charset=utf-8' },
    errors: ['NOT_FOUND'],
    keptAs: ({ params }) => params.asset,
    handle: ({ params }) => asset(webFolder, listed(params.asset, webAssets)),
  }),
  contract({
    ...page,
    path: '/docs',
    summary: 'The reference page of this API',
    reply: { ...reply, contentType: 'text/html; charset=utf-8' },
    keptAs: () => 'page',
    handle: () => asset(webFolder, 'docs.html'),
  }),
  contract({
    ...page,
    path: '/docs/:asset',
    summary: 'A file of the reference page',
    params: AssetParams,
    reply: { ...reply, contentType: 'text/javascript; charset=utf-8' },
    errors: ['NOT_FOUND'],
    keptAs: ({ params }) => params.asset,
    handle: ({ params }) => {
      const name = listed(params.asset, swaggerAssets)
      return asset(name.startsWith('docs.') ? webFolder : swaggerFolder, name)
    },
  }),
]
