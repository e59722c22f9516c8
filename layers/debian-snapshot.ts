/**
 * Returns lines for apt's sources.list with which apt installs Debian as of the time `at`; empty without a time.
 *
 * @param at in the format of snapshot.debian.org: 20261120T000000Z.
 * @param mirror contains the archives below `debian/<time>` and `debian-security/<time>`.
 */
export function buildSnapshotSources(
  at: string | undefined,
  mirror = 'http://snapshot.debian.org/archive',
): string {
  if (at === undefined) return ''
  if (!/^\d{8}T\d{6}Z$/.test(at))
    throw new Error(`DEBIAN_SNAPSHOT: expected a timestamp such as 20261120T000000Z, got ${at}.`)
  // The snapshot's validity period has expired, so apt must not check the period; it still verifies signatures.
  const buildSourceLine = (archive: string, suite: string) =>
    `deb [check-valid-until=no signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror}/${archive}/${at} ${suite} main\n`
  return (
    buildSourceLine('debian', 'bookworm') +
    buildSourceLine('debian', 'bookworm-updates') +
    buildSourceLine('debian-security', 'bookworm-security')
  )
}
