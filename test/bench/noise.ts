import sharp, { type Sharp } from 'sharp'
import { createRandom } from '../jobs/simulated-aws.ts'

/** A picture of grain, the same for the same seed. */
export function noise(width: number, height: number, seed: number): Sharp {
  const chance = createRandom(seed)
  // The sum of some chances is nearly normal; its deviation is about 12.
  const value = () => 128 + (chance() + chance() + chance() + chance() - 2) * 20.35
  const pixels = Buffer.from(Array.from({ length: width * height * 3 }, value))
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}
