import assert from 'node:assert/strict'
import sharp from 'sharp'
import { vips } from '../../../lib/engines/vips.ts'
import { convert, fixture } from './run-engine.ts'

/** Returns the raw sample values, ignoring the profile. */
export async function readNumbers(path: string): Promise<number[]> {
  const image = sharp(path, { ignoreIcc: true }).removeAlpha()
  return [...(await image.extract({ left: 3, top: 3, width: 1, height: 1 }).raw().toBuffer())]
}

export const assertNear = (values: readonly number[], expectedValues: readonly number[], tolerance = 6) =>
  assert.ok(
    values.length === expectedValues.length &&
      values.every((value, index) => Math.abs(value - (expectedValues[index] ?? 0)) <= tolerance),
    `${values} is not about ${expectedValues}`,
  )

export const folder = async () => (await convert(vips, fixture('corners.png'), 'png')).workDir
