/** Headers that only some successful replies have; a contract lists the headers of its reply. */
export const replyHeaders = {
  link: 'The next and the previous page of the list, with `rel="next"` and `rel="prev"` (RFC 8288)',
  location: 'URL of the created resource, or of the redirect target',
  'preference-applied': 'The seconds of `Prefer: wait` that were applied, for example `wait=25`',
  'repr-digest': 'SHA-256 of the file (RFC 9530)',
  'retry-after': 'Seconds after which to poll again',
} as const
export type ReplyHeader = keyof typeof replyHeaders
