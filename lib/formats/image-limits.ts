/** Maximum side in pixels; must match `layers/imagemagick/policy.xml`, which enforces it. */
export const maxSidePx = 16_000
