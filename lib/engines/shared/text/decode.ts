import iconv from 'iconv-lite'

/** Decodes a text chunk by chunk; the last call, without a chunk, flushes the decoder. */
export type TextDecoderFunction = (chunk?: Uint8Array) => string

/** @param name as returned by `findCharset`. */
export function createTextDecoder(name: string): TextDecoderFunction {
  // Node's TextDecoder lacks UTF-32 and some Korean and Chinese characters; iconv-lite lacks ISO-2022.
  if (!/^utf-(?!32)/.test(name) && iconv.encodingExists(name)) {
    const decoder = iconv.getDecoder(name)
    return (chunk) => (chunk ? decoder.write(Buffer.from(chunk)) : (decoder.end() ?? ''))
  }
  const decoder = new TextDecoder(name)
  return (chunk) => decoder.decode(chunk, { stream: chunk !== undefined })
}

export function decodeText(bytes: Uint8Array, name: string): string {
  const decode = createTextDecoder(name)
  return decode(bytes) + decode()
}
