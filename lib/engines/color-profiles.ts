/** ICC profiles of Debian's icc-profiles-free, for pictures. */

export const srgbProfile = '/usr/share/color/icc/sRGB.icc'
export const adobeRgbProfile = '/usr/share/color/icc/compatibleWithAdobeRGB1998.icc'
