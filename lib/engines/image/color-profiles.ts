/** ICC profiles: the first two of Debian's icc-profiles-free. */

export const srgbProfile = '/usr/share/color/icc/sRGB.icc'
export const adobeRgbProfile = '/usr/share/color/icc/compatibleWithAdobeRGB1998.icc'

/** For pages that are drawn. Of Debian's libgs-common, as free as Ghostscript; viewers find it in the picture. */
export const pageAdobeRgbProfile = '/usr/share/color/icc/ghostscript/a98.icc'
