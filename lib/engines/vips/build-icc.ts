/** x and y of white, red, green and blue, in the order of PNG's `cHRM`. */
export type Chromaticities = readonly [number, number, number, number, number, number, number, number]

/** Transfer curve: a gamma exponent, or the sRGB curve. */
export type Curve = number | 'srgb'

type Triple = readonly [number, number, number]
type Matrix = readonly [Triple, Triple, Triple]

/** White point of all profiles (ICC.1:2022, 7.2.16). */
const d50: Triple = [0.9642, 1, 0.8249]
/** Chromatic adaptation matrix (annex E.2). */
const bradford: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
]

/** Builds an ICC profile from three primaries, a white point and one curve (ICC.1:2022, 8.4.3). */
export function profileOf(colors: Chromaticities, curve: Curve): Buffer {
  const [wx, wy, rx, ry, gx, gy, bx, by] = colors
  const white = light(wx, wy)
  const [red, green, blue] = [light(rx, ry), light(gx, gy), light(bx, by)]
  const [ofRed, ofGreen, ofBlue] = times(inverse(transposed([red, green, blue])), white)
  const adapted = adaptation(white)
  const shades = curveTag(curve)
  return assembled([
    ['desc', textTag('Colors told by the picture')],
    ['cprt', textTag('No rights reserved')],
    ['wtpt', numbersTag('XYZ ', d50)],
    ['chad', numbersTag('sf32', adapted.flat())],
    ['rXYZ', numbersTag('XYZ ', times(adapted, scaled(red, ofRed)))],
    ['gXYZ', numbersTag('XYZ ', times(adapted, scaled(green, ofGreen)))],
    ['bXYZ', numbersTag('XYZ ', times(adapted, scaled(blue, ofBlue)))],
    ['rTRC', shades],
    ['gTRC', shades],
    ['bTRC', shades],
  ])
}

/** Builds a gray ICC profile (section 8.4.2). */
export const grayProfileOf = (curve: Curve): Buffer =>
  assembled(
    [
      ['desc', textTag('Shades told by the picture')],
      ['cprt', textTag('No rights reserved')],
      ['wtpt', numbersTag('XYZ ', d50)],
      ['kTRC', curveTag(curve)],
    ],
    'GRAY',
  )

const light = (x: number, y: number): Triple => [x / y, 1, (1 - x - y) / y]

/** Matrix that adapts colors from this white point to D50. */
function adaptation(white: Triple): Matrix {
  const [l, m, s] = times(bradford, white)
  const [toL, toM, toS] = times(bradford, d50)
  const [first, second, third] = bradford
  const back = inverse(bradford)
  const columns = transposed([scaled(first, toL / l), scaled(second, toM / m), scaled(third, toS / s)])
  return transposed([times(back, columns[0]), times(back, columns[1]), times(back, columns[2])])
}

const scaled = ([x, y, z]: Triple, by: number): Triple => [x * by, y * by, z * by]
const dot = ([a, b, c]: Triple, [x, y, z]: Triple) => a * x + b * y + c * z
const cross = ([a, b, c]: Triple, [x, y, z]: Triple): Triple => [b * z - c * y, c * x - a * z, a * y - b * x]
const times = ([a, b, c]: Matrix, vector: Triple): Triple => [dot(a, vector), dot(b, vector), dot(c, vector)]
const transposed = ([a, b, c]: Matrix): Matrix => [
  [a[0], b[0], c[0]],
  [a[1], b[1], c[1]],
  [a[2], b[2], c[2]],
]

function inverse([a, b, c]: Matrix): Matrix {
  const by = 1 / dot(a, cross(b, c))
  return transposed([scaled(cross(b, c), by), scaled(cross(c, a), by), scaled(cross(a, b), by)])
}

/** Parametric curve (section 10.18): a single exponent, or the five parameters of sRGB. */
function curveTag(curve: Curve): Buffer {
  const isExponent = curve !== 'srgb'
  const head = Buffer.from([0, 0, 0, 0, 0, isExponent ? 0 : 3, 0, 0])
  const numbers = isExponent ? [curve] : [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
  return Buffer.concat([Buffer.from('para', 'latin1'), head, fixed(numbers)])
}

const numbersTag = (type: string, numbers: readonly number[]) =>
  Buffer.concat([Buffer.from(`${type}\0\0\0\0`, 'latin1'), fixed(numbers)])

/** Encodes signed 16.16 fixed-point numbers. */
function fixed(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4)
  for (const [index, value] of numbers.entries()) bytes.writeInt32BE(Math.round(value * 65_536), index * 4)
  return bytes
}

/** Localized text (section 10.15) in English only. */
function textTag(text: string): Buffer {
  const letters = Buffer.from(text, 'utf16le').swap16()
  const head = Buffer.from('mluc\0\0\0\0\0\0\0\x01\0\0\0\x0cenUS\0\0\0\0\0\0\0\x1c', 'latin1')
  head.writeUInt32BE(letters.length, 20)
  return Buffer.concat([head, letters])
}

/** Assembles the header (section 7.2), the tag table and the tags. */
function assembled(tags: readonly (readonly [signature: string, data: Buffer])[], space = 'RGB '): Buffer {
  const listed = 128 + 4 + tags.length * 12
  const list = Buffer.alloc(listed)
  const parts: Buffer[] = [list]
  let at = listed
  list.writeUInt32BE(tags.length, 128)
  for (const [index, [signature, data]] of tags.entries()) {
    const entry = 132 + index * 12
    list.write(signature, entry, 'latin1')
    list.writeUInt32BE(at, entry + 4)
    list.writeUInt32BE(data.length, entry + 8)
    const room = Math.ceil(data.length / 4) * 4
    parts.push(data, Buffer.alloc(room - data.length))
    at += room
  }
  list.writeUInt32BE(at, 0)
  list.writeUInt32BE(0x04_20_00_00, 8)
  list.write(`mntr${space}XYZ `, 12, 'latin1')
  list.write('acsp', 36, 'latin1')
  fixed(d50).copy(list, 68)
  return Buffer.concat(parts)
}
