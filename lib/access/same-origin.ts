/**
 * Whether a page of the service itself sends a request, or a program: browsers send cookies whichever page asks, and
 * name the page in `Origin`; programs send none, and cookies only on purpose.
 */
export function isSameOrigin(
  { origin, host }: Readonly<Record<string, string | undefined>>,
  publicUrl: string | undefined,
): boolean {
  if (origin === undefined) return true
  const page = URL.parse(origin)
  return page !== null && (page.host === host || page.origin === URL.parse(publicUrl ?? '')?.origin)
}

/** Origins of the page: the public one, and on one machine the other names of that machine. */
export function serviceOrigins(publicUrl: string): string[] {
  const { origin, protocol, hostname, port } = new URL(publicUrl)
  const names = ['localhost', '127.0.0.1', '[::1]']
  if (!names.includes(hostname)) return [origin]
  return names.map((name) => new URL(`${protocol}//${name}${port && `:${port}`}`).origin)
}
