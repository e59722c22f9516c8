/** What a success may carry beside what all do; contracts name theirs. */
export const replyHeaders = {
  link: 'Leads to the next page of the list, with `rel="next"` (RFC 8288)',
  location: 'Address of what was made, or of what the reply leads to',
  'preference-applied': 'As `wait=25`: how many seconds of `Prefer: wait` counted',
  'repr-digest': 'SHA-256 of the file (RFC 9530)',
  'retry-after': 'Seconds after which asking again may tell more',
} as const
export type ReplyHeader = keyof typeof replyHeaders
