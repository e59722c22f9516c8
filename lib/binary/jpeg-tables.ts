const [quantizationTables, huffmanTables, startOfScan] = [0xdb, 0xc4, 0xda]

/**
 * Returns whether a table before the pixel data has values that no encoder writes: a divisor of 0, or a symbol with two
 * codes. Decoders read such tables without an error, and draw wrong pixels (ITU-T T.81, B.2.4).
 * @param image bytes from the start marker on; tables behind its end are not checked.
 */
export function hasDamagedTables(image: Buffer): boolean {
  for (let at = 2; at + 4 <= image.length; ) {
    const marker = image[at + 1]
    // Fill bytes, and bytes that decoders skip between segments.
    if (image[at] !== 0xff || marker === 0 || marker === 0xff) {
      at++
      continue
    }
    if (marker === startOfScan) return false
    const end = at + 2 + image.readUInt16BE(at + 2)
    if (end > image.length) return false
    const tables = image.subarray(at + 4, end)
    if (marker === quantizationTables && hasZeroDivisor(tables)) return true
    if (marker === huffmanTables && hasRepeatedSymbol(tables)) return true
    at = end
  }
  return false
}

function hasZeroDivisor(tables: Buffer): boolean {
  for (let at = 0; at < tables.length; ) {
    const bytesPerValue = (tables[at] ?? 0) >> 4 === 0 ? 1 : 2
    const end = at + 1 + 64 * bytesPerValue
    for (let value = at + 1; value < end; value += bytesPerValue)
      if (tables.subarray(value, value + bytesPerValue).every((byte) => byte === 0)) return true
    at = end
  }
  return false
}

function hasRepeatedSymbol(tables: Buffer): boolean {
  for (let at = 0; at < tables.length; ) {
    const counts = tables.subarray(at + 1, at + 17)
    const end = at + 17 + counts.reduce((sum, count) => sum + count, 0)
    const symbols = tables.subarray(at + 17, end)
    if (new Set(symbols).size < symbols.length) return true
    at = end
  }
  return false
}
