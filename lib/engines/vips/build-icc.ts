/** Coordinates x and y of white, red, green and blue, in the order of PNG's `cHRM`. */
export type Chromaticities = readonly [number, number, number, number, number, number, number, number]

/** Transfer curve: a gamma exponent, or the sRGB curve. */
export type Curve = number | 'srgb'

type Vector = readonly [number, number, number]
type Matrix = readonly [Vector, Vector, Vector]

/** White point of all profiles (ICC.1:2022, 7.2.16). */
const d50: Vector = [0.9642, 1, 0.8249]
/** Chromatic adaptation matrix (annex E.2). */
const bradford: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
]

/** Builds an ICC profile from three primaries, a white point and one curve (ICC.1:2022, 8.4.3). */
export function buildRgbProfile(colors: Chromaticities, curve: Curve): Buffer {
  const [wx, wy, rx, ry, gx, gy, bx, by] = colors
  const white = toXyz(wx, wy)
  const [red, green, blue] = [toXyz(rx, ry), toXyz(gx, gy), toXyz(bx, by)]
  const [redXyz, greenXyz, blueXyz] = multiply(invert(transpose([red, green, blue])), white)
  const adaptation = computeAdaptationMatrix(white)
  const curveData = createCurveTag(curve)
  return assembleProfile([
    ['desc', createTextTag('Colors described by the image')],
    ['cprt', createTextTag('No rights reserved')],
    ['wtpt', createNumbersTag('XYZ ', d50)],
    ['chad', createNumbersTag('sf32', adaptation.flat())],
    ['rXYZ', createNumbersTag('XYZ ', multiply(adaptation, scaleVector(red, redXyz)))],
    ['gXYZ', createNumbersTag('XYZ ', multiply(adaptation, scaleVector(green, greenXyz)))],
    ['bXYZ', createNumbersTag('XYZ ', multiply(adaptation, scaleVector(blue, blueXyz)))],
    ['rTRC', curveData],
    ['gTRC', curveData],
    ['bTRC', curveData],
  ])
}

/** Builds a gray ICC profile (section 8.4.2). */
export const buildGrayProfile = (curve: Curve): Buffer =>
  assembleProfile(
    [
      ['desc', createTextTag('Gray described by the image')],
      ['cprt', createTextTag('No rights reserved')],
      ['wtpt', createNumbersTag('XYZ ', d50)],
      ['kTRC', createCurveTag(curve)],
    ],
    'GRAY',
  )

const toXyz = (x: number, y: number): Vector => [x / y, 1, (1 - x - y) / y]

/** Returns the matrix that adapts colors from this white point to D50. */
function computeAdaptationMatrix(white: Vector): Matrix {
  const [l, m, s] = multiply(bradford, white)
  const [toL, toM, toS] = multiply(bradford, d50)
  const [firstRow, secondRow, thirdRow] = bradford
  const inverseBradford = invert(bradford)
  const columns = transpose([
    scaleVector(firstRow, toL / l),
    scaleVector(secondRow, toM / m),
    scaleVector(thirdRow, toS / s),
  ])
  return transpose([
    multiply(inverseBradford, columns[0]),
    multiply(inverseBradford, columns[1]),
    multiply(inverseBradford, columns[2]),
  ])
}

const scaleVector = ([x, y, z]: Vector, factor: number): Vector => [x * factor, y * factor, z * factor]
const dot = ([a, b, c]: Vector, [x, y, z]: Vector) => a * x + b * y + c * z
const crossProduct = ([a, b, c]: Vector, [x, y, z]: Vector): Vector => [
  b * z - c * y,
  c * x - a * z,
  a * y - b * x,
]
const multiply = ([a, b, c]: Matrix, vector: Vector): Vector => [
  dot(a, vector),
  dot(b, vector),
  dot(c, vector),
]
const transpose = ([a, b, c]: Matrix): Matrix => [
  [a[0], b[0], c[0]],
  [a[1], b[1], c[1]],
  [a[2], b[2], c[2]],
]

function invert([a, b, c]: Matrix): Matrix {
  const factor = 1 / dot(a, crossProduct(b, c))
  return transpose([
    scaleVector(crossProduct(b, c), factor),
    scaleVector(crossProduct(c, a), factor),
    scaleVector(crossProduct(a, b), factor),
  ])
}

/** Creates a parametric curve (section 10.18): a single exponent, or the five parameters of sRGB. */
function createCurveTag(curve: Curve): Buffer {
  const isExponent = curve !== 'srgb'
  const head = Buffer.from([0, 0, 0, 0, 0, isExponent ? 0 : 3, 0, 0])
  const numbers = isExponent ? [curve] : [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
  return Buffer.concat([Buffer.from('para', 'latin1'), head, toFixedPoint(numbers)])
}

const createNumbersTag = (type: string, numbers: readonly number[]) =>
  Buffer.concat([Buffer.from(`${type}\0\0\0\0`, 'latin1'), toFixedPoint(numbers)])

/** Encodes signed 16.16 fixed-point numbers. */
function toFixedPoint(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4)
  for (const [index, value] of numbers.entries()) bytes.writeInt32BE(Math.round(value * 65_536), index * 4)
  return bytes
}

/** Creates a localized text in English only (section 10.15). */
function createTextTag(text: string): Buffer {
  const utf16 = Buffer.from(text, 'utf16le').swap16()
  const head = Buffer.from('mluc\0\0\0\0\0\0\0\x01\0\0\0\x0cenUS\0\0\0\0\0\0\0\x1c', 'latin1')
  head.writeUInt32BE(utf16.length, 20)
  return Buffer.concat([head, utf16])
}

/** Assembles the header (section 7.2), the tag table and the tags. */
function assembleProfile(
  tags: readonly (readonly [signature: string, data: Buffer])[],
  space = 'RGB ',
): Buffer {
  const tableBytes = 128 + 4 + tags.length * 12
  const table = Buffer.alloc(tableBytes)
  const parts: Buffer[] = [table]
  let at = tableBytes
  table.writeUInt32BE(tags.length, 128)
  for (const [index, [signature, data]] of tags.entries()) {
    const entryOffset = 132 + index * 12
    table.write(signature, entryOffset, 'latin1')
    table.writeUInt32BE(at, entryOffset + 4)
    table.writeUInt32BE(data.length, entryOffset + 8)
    const paddedBytes = Math.ceil(data.length / 4) * 4
    parts.push(data, Buffer.alloc(paddedBytes - data.length))
    at += paddedBytes
  }
  table.writeUInt32BE(at, 0)
  table.writeUInt32BE(0x04_20_00_00, 8)
  table.write(`mntr${space}XYZ `, 12, 'latin1')
  table.write('acsp', 36, 'latin1')
  toFixedPoint(d50).copy(table, 68)
  return Buffer.concat(parts)
}
