// Computes CRC32C and CRC64NVME, which node:zlib lacks, and combines the CRCs of parts into the CRC of the whole.
// Like CRC32, both CRCs are reflected, start with all ones, and are inverted at the end.

// Number of tables: with eight, one step processes eight bytes, at about 1 GiB/s and five times as fast as with one.
const tableCount = 8

function buildTables(width: 32 | 64, polynomial: bigint): { low: Int32Array; high: Int32Array } {
  const low = new Int32Array(256 * tableCount)
  const high = new Int32Array(256 * tableCount)
  const entries: bigint[] = []
  for (let index = 0; index < 256 * tableCount; index++) {
    const previousEntry = entries[index - 256]
    const value =
      previousEntry === undefined
        ? divide(BigInt(index), polynomial)
        : (previousEntry >> 8n) ^ (entries[Number(previousEntry & 0xffn)] ?? 0n)
    entries.push(value)
    low[index] = Number(BigInt.asIntN(32, value))
    high[index] = width === 64 ? Number(BigInt.asIntN(32, value >> 32n)) : 0
  }
  return { low, high }
}

function divide(byte: bigint, polynomial: bigint): bigint {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1n ? (value >> 1n) ^ polynomial : value >> 1n
  return value
}

const crc32Polynomial = 0xedb88320n
const crc32cPolynomial = 0x82f63b78n
const crc64nvmePolynomial = 0x9a6c9329ac4bc9b5n
const tables32c = buildTables(32, crc32cPolynomial)
const tables64 = buildTables(64, crc64nvmePolynomial)

/** Continues a CRC32C; the first value is 0, as for zlib's crc32. */
export function crc32c(bytes: Buffer, previousCrc: number): number {
  const t = tables32c.low
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const end = bytes.length - (bytes.length % 8)
  let crc = ~previousCrc
  let at = 0
  for (; at < end; at += 8) {
    const a = crc ^ view.getInt32(at, true)
    const b = view.getInt32(at + 4, true)
    // biome-ignore format: each line has a word of four bytes
    crc =
      entry(t, 7, a) ^ entry(t, 6, a >>> 8) ^ entry(t, 5, a >>> 16) ^ entry(t, 4, a >>> 24) ^
      entry(t, 3, b) ^ entry(t, 2, b >>> 8) ^ entry(t, 1, b >>> 16) ^ entry(t, 0, b >>> 24)
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ entry(t, 0, crc ^ (bytes[at] ?? 0))
  return ~crc >>> 0
}

/** State of a CRC64NVME in two halves, because numbers cannot hold 64 bits and BigInt is a hundred times slower. */
export interface Crc64 {
  low: number
  high: number
}

export function updateCrc64(state: Crc64, bytes: Buffer): void {
  const { low, high } = tables64
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const end = bytes.length - (bytes.length % 8)
  let l = ~state.low
  let h = ~state.high
  let at = 0
  for (; at < end; at += 8) {
    const a = l ^ view.getInt32(at, true)
    const b = h ^ view.getInt32(at + 4, true)
    // biome-ignore format: each line has a word of four bytes
    l =
      entry(low, 7, a) ^ entry(low, 6, a >>> 8) ^ entry(low, 5, a >>> 16) ^ entry(low, 4, a >>> 24) ^
      entry(low, 3, b) ^ entry(low, 2, b >>> 8) ^ entry(low, 1, b >>> 16) ^ entry(low, 0, b >>> 24)
    // biome-ignore format: each line has a word of four bytes
    h =
      entry(high, 7, a) ^ entry(high, 6, a >>> 8) ^ entry(high, 5, a >>> 16) ^ entry(high, 4, a >>> 24) ^
      entry(high, 3, b) ^ entry(high, 2, b >>> 8) ^ entry(high, 1, b >>> 16) ^ entry(high, 0, b >>> 24)
  }
  for (; at < bytes.length; at++) {
    const byte = l ^ (bytes[at] ?? 0)
    l = (l >>> 8) ^ (h << 24) ^ entry(low, 0, byte)
    h = (h >>> 8) ^ entry(high, 0, byte)
  }
  state.low = ~l
  state.high = ~h
}

function entry(table: Int32Array, slice: number, byte: number): number {
  return table[slice * 256 + (byte & 0xff)] ?? 0
}

const polynomials = {
  CRC32: [32n, crc32Polynomial],
  CRC32C: [32n, crc32cPolynomial],
  CRC64NVME: [64n, crc64nvmePolynomial],
} as const

/** Returns the CRC of two concatenated blocks, from the CRC of each and the length of the second. */
export function joinCrc(
  kind: keyof typeof polynomials,
  firstCrc: bigint,
  secondCrc: bigint,
  secondLength: number,
): bigint {
  const [width, polynomial] = polynomials[kind]
  return multiply(getShift(kind, secondLength), firstCrc, width, polynomial) ^ secondCrc
}

// Cache of shifts: most parts of an upload have the same length, and a shift takes thousands of operations.
const shifts = new Map<string, bigint>()

/** Returns x^(8·length) modulo the polynomial, the factor by which appending that many bytes changes a CRC. */
function getShift(kind: keyof typeof polynomials, length: number): bigint {
  const cachedShift = shifts.get(`${kind} ${length}`)
  if (cachedShift !== undefined) return cachedShift
  const [width, polynomial] = polynomials[kind]
  let result = 1n << (width - 1n)
  let power = 1n << (width - 9n)
  for (let remainingLength = BigInt(length); remainingLength > 0n; remainingLength >>= 1n) {
    if (remainingLength & 1n) result = multiply(power, result, width, polynomial)
    power = multiply(power, power, width, polynomial)
  }
  if (shifts.size > 1000) shifts.clear()
  shifts.set(`${kind} ${length}`, result)
  return result
}

/** Multiplies two polynomials over GF(2) modulo the CRC's polynomial; the highest power is in the lowest bit. */
function multiply(a: bigint, b: bigint, width: bigint, polynomial: bigint): bigint {
  let product = 0n
  let factor = b
  for (let bit = 1n << (width - 1n); bit > 0n; bit >>= 1n) {
    if (a & bit) product ^= factor
    factor = factor & 1n ? (factor >> 1n) ^ polynomial : factor >> 1n
  }
  return product
}
