/**
 * True if a request comes from a page of the service itself or from a program. Browsers send cookies with requests from
 * any page and name its origin in `Origin`; programs send no `Origin`, and cookies only on purpose.
 */
export function isSameOrigin(
  { origin, host }: Readonly<Record<string, string | undefined>>,
  publicUrl: string | undefined,
): boolean {
  if (origin === undefined) return true
  const page = URL.parse(origin)
  return page !== null && (page.host === host || page.origin === URL.parse(publicUrl ?? '')?.origin)
}

/**
 * Returns the origins of the service's pages: the public origin and, if its host is a loopback name, the origins with
 * the other loopback names.
 */
export function listServiceOrigins(publicUrl: string): string[] {
  const { origin, protocol, hostname, port } = new URL(publicUrl)
  const loopbackNames = ['localhost', '127.0.0.1', '[::1]']
  if (!loopbackNames.includes(hostname)) return [origin]
  return loopbackNames.map((name) => new URL(`${protocol}//${name}${port && `:${port}`}`).origin)
}
