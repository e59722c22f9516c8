import iconv from 'iconv-lite'

/** Decodes a text piece by piece; the last call is without one. */
export type Decoder = (piece?: Uint8Array) => string

/** @param name as `charsetNamed` gives it. */
export function decoderOf(name: string): Decoder {
  // Node's own reads fewer letters of Korean and Chinese than Windows writes and no UTF-32, iconv-lite no ISO-2022.
  if (!/^utf-(?!32)/.test(name) && iconv.encodingExists(name)) {
    const decoder = iconv.getDecoder(name)
    return (piece) => (piece ? decoder.write(Buffer.from(piece)) : (decoder.end() ?? ''))
  }
  const decoder = new TextDecoder(name)
  return (piece) => decoder.decode(piece, { stream: piece !== undefined })
}

export function lettersOf(bytes: Uint8Array, name: string): string {
  const decode = decoderOf(name)
  return decode(bytes) + decode()
}
