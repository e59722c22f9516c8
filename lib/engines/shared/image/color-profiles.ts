/** Paths of ICC profiles; the first two are from Debian's icc-profiles-free. */

export const srgbProfile = '/usr/share/color/icc/sRGB.icc'
export const adobeRgbProfile = '/usr/share/color/icc/compatibleWithAdobeRGB1998.icc'

/**
 * Profile for rendered pages, which is embedded in the image. From Debian's libgs-common, licensed like Ghostscript.
 */
export const pageAdobeRgbProfile = '/usr/share/color/icc/ghostscript/a98.icc'
