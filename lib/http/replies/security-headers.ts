import { createHash } from 'node:crypto'

interface PolicySources {
  /** Hash of inline style rules, as `'sha256-…'`. */
  readonly style?: string | undefined
  /** Origin of the file storage, if it differs from that of the service. */
  readonly storageOrigin?: string | undefined
}

/**
 * Returns a strict policy: only the named sources, no inline scripts, and no strings that become scripts (Trusted
 * Types).
 */
function createContentSecurityPolicy({ style = '', storageOrigin = '' }: PolicySources): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${style}`,
    `connect-src 'self' ${storageOrigin}`,
    `img-src 'self' blob: data: ${storageOrigin}`,
    `media-src 'self' blob: ${storageOrigin}`,
    `frame-src 'self' blob: ${storageOrigin}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // Trusted Types policy of the worker that draws PDFs (functions/web/grid/local-pages.ts).
    'trusted-types drawing',
  ]
    .map((rule) => rule.trimEnd())
    .join('; ')
}

export const styleHash = (rules: string) => `'sha256-${createHash('sha256').update(rules).digest('base64')}'`

export const createSecurityHeaders = (sources: PolicySources) =>
  ({
    'content-security-policy': createContentSecurityPolicy(sources),
    'referrer-policy': 'no-referrer',
  }) as const

/** Headers of the API reference page, whose library adds inline styles. */
export const referencePageHeaders = {
  'content-security-policy':
    "default-src 'self'; connect-src *; img-src 'self' data: blob:; media-src 'self' blob:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const
