import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../engine.ts'
import { adobeRgbProfile, srgbProfile } from '../shared/image/color-profiles.ts'
import { loadSharp } from '../vips/image.ts'
import type { Frame } from './frames.ts'
import type { parseColorSpace } from './targets.ts'

/** The same rendering intent as in libvips: colors within both gamuts stay unchanged, and black stays black. */
const intentArgs = ['-intent', 'Relative', '-black-point-compensation']

/**
 * Returns arguments that convert colors to sRGB, using the image's profile if it has one, unless the target keeps that
 * profile.
 */
export async function buildColorArgs(
  { colorspace, profiles }: Frame,
  keepsProfile: boolean,
  requestedSpace: ReturnType<typeof parseColorSpace>,
  tools: Tools,
): Promise<string[]> {
  const isCmyk = colorspace.startsWith('CMYK')
  const hasProfile = profiles.includes('icc') || isCmyk
  const assumedProfile =
    isCmyk && !profiles.includes('icc') ? ['-profile', await writeCmykProfile(tools)] : []
  if (requestedSpace === 'adobe-rgb') {
    const sourceProfile = hasProfile
      ? assumedProfile
      : ['-colorspace', 'sRGB', '+profile', 'icc', '-profile', srgbProfile]
    return [...sourceProfile, ...intentArgs, '-profile', adobeRgbProfile]
  }
  // Lab values need no profile, and a Lab profile is wrong for the result.
  if (/Lab$/.test(colorspace) || !hasProfile) return ['-colorspace', 'sRGB', '+profile', 'icc']
  const isRgb = !isCmyk && !colorspace.startsWith('Gray')
  if (keepsProfile && isRgb && requestedSpace !== 'srgb') return ['-colorspace', 'sRGB']
  const srgbArgs = ['-profile', srgbProfile, '-colorspace', 'sRGB', '+profile', 'icc']
  return [...assumedProfile, ...intentArgs, ...srgbArgs]
}

/**
 * Writes the profile that libvips assumes for CMYK images without a profile, so that both programs show the same
 * colors.
 */
async function writeCmykProfile(tools: Tools): Promise<string> {
  const sharp = await loadSharp()
  const singlePixelImage = sharp({ create: { width: 1, height: 1, channels: 3, background: 'white' } })
  const tiff = await singlePixelImage.withIccProfile('cmyk').toColourspace('cmyk').tiff().toBuffer()
  const { icc } = await sharp(tiff).metadata()
  if (!icc) throw new Error('libvips has no CMYK profile.')
  const path = join(tools.workDir, 'cmyk.icc')
  await writeFile(path, icc)
  return path
}
