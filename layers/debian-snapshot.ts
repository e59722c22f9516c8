/**
 * Lines for apt's list of sources that give Debian as it was at a time; none for Debian as it is now.
 *
 * @param at as snapshot.debian.org writes it: 20261120T000000Z.
 * @param mirror has the archives below `debian/<time>` and `debian-security/<time>`.
 */
export function snapshotSources(
  at: string | undefined,
  mirror = 'http://snapshot.debian.org/archive',
): string {
  if (at === undefined) return ''
  if (!/^\d{8}T\d{6}Z$/.test(at))
    throw new Error(`DEBIAN_SNAPSHOT: expected a time as 20261120T000000Z, got ${at}.`)
  // What a snapshot says of how long it is valid has long passed; signatures are checked as ever.
  const from = (archive: string, suite: string) =>
    `deb [check-valid-until=no signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror}/${archive}/${at} ${suite} main\n`
  return (
    from('debian', 'bookworm') +
    from('debian', 'bookworm-updates') +
    from('debian-security', 'bookworm-security')
  )
}
