import { createHash } from 'node:crypto'

interface PolicySources {
  /** `'sha256-…'` of rules that stand in the page. */
  readonly style?: string | undefined
  /** Of the storage, where it is not the service itself: files go there and come from there. */
  readonly storage?: string | undefined
}

/** Nothing but what is named, no inline scripts, and no text that becomes one. */
export function contentSecurityPolicy({ style = '', storage = '' }: PolicySources): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${style}`,
    `connect-src 'self' ${storage}`,
    `img-src 'self' blob: data: ${storage}`,
    `media-src 'self' blob: ${storage}`,
    `frame-src 'self' blob: ${storage}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // Of the worker that draws PDFs (functions/web/grid/local-pages.ts).
    'trusted-types drawing',
  ]
    .map((rule) => rule.trimEnd())
    .join('; ')
}

export const styleHash = (rules: string) => `'sha256-${createHash('sha256').update(rules).digest('base64')}'`

export const securityHeaders = (allowed: PolicySources) =>
  ({ 'content-security-policy': contentSecurityPolicy(allowed), 'referrer-policy': 'no-referrer' }) as const

/** Of the reference page, whose library writes rules into the page. */
export const referencePageHeaders = {
  'content-security-policy':
    "default-src 'self'; connect-src *; img-src 'self' data: blob:; media-src 'self' blob:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const
