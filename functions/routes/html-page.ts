import * as z from 'zod'
import { createSecurityHeaders, styleHash } from '../../lib/http/replies/security-headers.ts'
import { openAccess } from '../../lib/model/principal.ts'

/** Contract properties shared by text pages without scripts. */
export const htmlPageContract = {
  method: 'GET',
  access: openAccess,
  tag: 'Pages',
  reply: {
    status: 200,
    schema: z.string(),
    form: 'raw',
    contentType: 'text/html; charset=utf-8',
    etag: true,
    cacheControl: 'public, max-age=300',
  },
} as const

const style =
  ':root{color-scheme:light dark;background:Canvas;--link:#0d665b;--soft:#5a5a55}@media (prefers-color-scheme:dark){:root{--link:#5eead4;--soft:#a8a8a2}}body{font:1rem/1.6 system-ui,sans-serif;max-width:48rem;margin:3rem auto;padding:0 1rem}h1{font-size:2rem;line-height:1.2}a{color:var(--link)}dl{display:grid;gap:.25rem}dd{color:var(--soft)}dt code{font-weight:400}dt{font-weight:600;margin-top:1rem}dd{margin:0}code,pre{font-size:.95em}pre{overflow-x:auto;padding:.75rem;border:1px solid #8886;border-radius:.4rem}'

export const htmlPageHeaders = createSecurityHeaders({ style: styleHash(style) })

/**
 * Renders a page. Title and content must be trusted HTML. The page names an icon, because browsers would otherwise
 * request `/favicon.ico`.
 */
export const renderHtmlPage = (title: string, content: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><link rel="icon" href="/web/icon.svg" type="image/svg+xml"><style>${style}</style></head><body><main>${content}</main></body></html>`
