/**
 * Features that librsvg 2.6 ignores or renders differently from a browser, which follows the standards (SVG 2, CSS).
 * Each was rendered with both; features with the same result are not listed.
 */
const browserOnlyPatterns: readonly RegExp[] = [
  // Embedded fonts and color emoji.
  /@font-face\b/i,
  /\xf0\x9f[\x80-\xbf]|&#(?:x1f[\da-f]{3}|12[789]\d{3});/i,
  // Text on a path, with wrapped lines, a set length, or positions per character.
  /<(?:\w+:)?(?:textPath|foreignObject)\b|\btextLength\s*=/,
  /<(?:\w{1,40}:)?(?:text|tspan)\b[^<>]{0,4000}?\s(?:d?[xy]\s{0,9}=\s{0,9}["']\s{0,9}[-+.\w]{1,40}[\s,]{1,20}[-+.\d]|rotate\s{0,9}=)/,
  // Excludes default values, which drawing programs write as well.
  /\b(?:alignment-baseline|baseline-shift|word-spacing|text-(?:shadow|transform|decoration(?:-line)?|orientation)|font-(?:kerning|variation-settings|variant(?:-caps)?)|vector-effect)\s{0,9}[:=](?!\s{0,9}["']?\s{0,9}(?:normal|none|auto|baseline|inherit|mixed|0(?:px)?\s{0,9}[;"'}]))/,
  /\bdominant-baseline\s{0,9}[:=]\s{0,9}["']?\s{0,9}(?:hanging|ideographic|mathematical|text-)|white-space\s{0,9}:\s{0,9}(?:pre|break)/,
  // Elements that are shown only for one language.
  /\bsystemLanguage\s{0,9}=/,
  // Newer CSS functions, rules and units.
  /\b(?:var|calc|min|max|clamp|env|ok(?:lch|lab)|lch|lab|color|color-mix|light-dark)\(/,
  /@(?:media|supports|layer|container)\b|:(?:is|where|has)\(|\{[^{}<>]{0,2000}\{/,
  /[\s;:"'{]\d{0,12}\.?\d{1,12}(?:rem|vw|vh|vmin|vmax|ch)\b/,
  // Shapes, masks and filters.
  /clip-path\s{0,9}[:=]\s{0,9}["']?\s{0,9}(?:circle|ellipse|inset|polygon|path|rect|xywh)\(|\bd\s{0,9}:\s{0,9}path\(/,
  /\bmask(?:-image|-composite|-border)\s{0,9}:|\bmask\s{0,9}:[^:;"'{}]{0,200}?gradient\(/,
  // librsvg computes these filters in linear RGB, browsers in sRGB.
  /\bfilter\s{0,9}[:=][^:;"'{}]{0,200}?\b(?:brightness|contrast|grayscale|hue-rotate|invert|saturate|sepia)\(/,
  /<(?:\w{1,40}:)?(?:feDiffuseLighting|feSpecularLighting|set)\b/,
  /\b(?:BackgroundImage|BackgroundAlpha|FillPaint|StrokePaint)\b/,
  // Positions and transformations, and dashes that are relative to the path length.
  /\b(?:transform-origin|transform-box|offset-path)\b|[\s;"'{](?:translate|rotate|scale)\s*:/,
  /\b(?:rotate3d|rotate[XY]|matrix3d|translate3d|translateZ|perspective)\(|\bpathLength\s*=/,
  // Elements that become visible through an animation.
  /@(?:-webkit-)?keyframes\b/i,
  // A background of the whole drawing.
  /<(?:\w{1,40}:)?svg\b[^<>]{0,4000}?\bstyle\s{0,9}=\s{0,9}["'][^"'<>]{0,500}?background|[\s>,}]svg\s{0,20}\{[^{}]{0,1000}?background/,
]

/** Embedded images that librsvg leaves out. */
const embeddedImagePattern = /data:image\/(?:webp|gif|avif)[;,]/i

/** Whether only a browser renders a drawing correctly. @param svg decoded as Latin-1, one character per byte. */
export function needsBrowser(svg: string): boolean {
  if (embeddedImagePattern.test(svg)) return true
  // Ignores embedded images, fonts and comments.
  const text = svg.replace(/data:[^"')>]*/g, '').replace(/<!--[\s\S]*?(?:-->|$)/g, '')
  return browserOnlyPatterns.some((pattern) => pattern.test(text))
}
