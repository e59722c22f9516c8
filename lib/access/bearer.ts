/** Returns the token of `Authorization: Bearer …` (RFC 6750, 2.1). */
export const readBearerToken = (headers: Readonly<Record<string, string | undefined>>): string | undefined =>
  /^bearer +(\S+)$/i.exec(headers['authorization'] ?? '')?.[1]
