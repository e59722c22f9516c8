/** Nothing from elsewhere, no inline scripts; uploads go to the storage, whose origin differs on AWS. */
const policy =
  "default-src 'self'; connect-src *; img-src 'self' data: blob:; media-src 'self' blob:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"

/** Of every page of ours and of its parts. */
export const pageHeaders = { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' } as const
