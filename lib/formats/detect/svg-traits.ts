/**
 * Features that librsvg 2.6 ignores or renders differently from a browser, which follows the standards (SVG 2, CSS).
 * Each was rendered with both; features with the same result are not listed.
 */
const browserOnlyPatterns: readonly RegExp[] = [
  // Embedded fonts and color emoji.
  /@font-face\b/i,
  /\xf0\x9f[\x80-\xbf]|\xef\xb8\x8f|&#(?:x1f[\da-f]{3}|12[789]\d{3});/i,
  // Symbols that may be color emoji as well, such as stars and check marks (U+2300 to U+27BF and U+2B00 to U+2BFF).
  /\xe2(?:[\x8c-\x9e]|\x9f[\x80-\xbf]|[\xac-\xaf])|&#(?:x2[3-7b][\da-f]{2}|89[6-9]\d|9\d{3}|10[01]\d\d|11[012]\d\d);/i,
  // Text on a path, with wrapped lines, a set length, or positions per character.
  /<(?:\w+:)?(?:textPath|foreignObject)\b|\btextLength\s*=/,
  /<(?:\w{1,40}:)?(?:text|tspan)\b[^<>]{0,4000}?\s(?:d?[xy]\s{0,9}=\s{0,9}["']\s{0,9}[-+.\w]{1,40}[\s,]{1,20}[-+.\d]|rotate\s{0,9}=)/,
  // Excludes default values, which drawing programs write as well.
  /\b(?:alignment-baseline|baseline-shift|word-spacing|text-(?:shadow|transform|decoration(?:-line)?|orientation)|font-(?:kerning|variation-settings|variant(?:-caps)?)|vector-effect)\s{0,9}[:=](?!\s{0,9}["']?\s{0,9}(?:normal|none|auto|baseline|inherit|mixed|0(?:px)?\s{0,9}[;"'}]))/,
  /\bdominant-baseline\s{0,9}[:=]\s{0,9}["']?\s{0,9}(?:hanging|ideographic|mathematical|text-)|white-space\s{0,9}:\s{0,9}(?:pre|break)/,
  // Spans that are partly transparent.
  /<(?:\w{1,40}:)?tspan\b[^<>]{0,4000}?[\s;"']opacity\s{0,9}[:=]/,
  // Elements that are shown only for one language.
  /\bsystemLanguage\s{0,9}=/,
  // Newer CSS functions, rules and units.
  /\b(?:var|calc|min|max|clamp|env|ok(?:lch|lab)|lch|lab|color|color-mix|light-dark)\(/,
  /@(?:media|supports|layer|container)\b|:(?:is|where|has)\(|\{[^{}<>]{0,2000}\{/,
  /<(?:\w{1,40}:)?style\b[^<>]{0,4000}?\smedia\s{0,9}=|:\s{0,9}(?:initial|revert|unset)\b/,
  /[\s;:"'{]\d{0,12}\.?\d{1,12}(?:rem|vw|vh|vmin|vmax|ch)\b/,
  // Shapes, masks and filters.
  /clip-path\s{0,9}[:=]\s{0,9}["']?\s{0,9}(?:(?:circle|ellipse|inset|polygon|path|rect|xywh)\(|[a-z]{1,9}-box)|\bd\s{0,9}:\s{0,9}path\(/,
  /\bmask(?:-image|-composite|-border)\s{0,9}:|\bmask\s{0,9}:[^:;"'{}]{0,200}?gradient\(/,
  // librsvg computes these filters in linear RGB, browsers in sRGB.
  /\bfilter\s{0,9}[:=][^:;"'{}]{0,200}?\b(?:brightness|contrast|grayscale|hue-rotate|invert|saturate|sepia)\(/,
  /<(?:\w{1,40}:)?(?:feDiffuseLighting|feSpecularLighting|set)\b/,
  /\b(?:BackgroundImage|BackgroundAlpha|FillPaint|StrokePaint)\b/,
  // Positions and transformations, and dashes that are relative to the path length.
  /\b(?:transform-origin|transform-box|offset-path)\b|[\s;"'{](?:translate|rotate|scale)\s*:/,
  /\b(?:rotate3d|rotate[XY]|matrix3d|translate3d|translateZ|perspective)\(|\bpathLength\s*=/,
  /\btransform\s{0,9}:[^:;"'{}]{0,200}?%|<(?:\w{1,40}:)?svg\b[^<>]{0,4000}?\stransform\s{0,9}=/,
  // Sizes in style sheets, and images without a width or a height.
  /[\s;"'{](?:width|height)\s{0,9}:/,
  /<(?:\w{1,40}:)?image\b(?:(?![^<>]{0,4000}?\swidth\s{0,9}=)|(?![^<>]{0,4000}?\sheight\s{0,9}=))/,
  // Gradients in linear RGB.
  /\bcolor-interpolation\s{0,9}[:=]\s{0,9}["']?\s{0,9}linearRGB/,
  // Elements that become visible through an animation.
  /@(?:-webkit-)?keyframes\b/i,
  // A background of the whole drawing.
  /<(?:\w{1,40}:)?svg\b[^<>]{0,4000}?\bstyle\s{0,9}=\s{0,9}["'][^"'<>]{0,500}?background|[\s>,}]svg\s{0,20}\{[^{}]{0,1000}?background/,
]

/** Features that the older librsvg of rsvg-convert, which writes PDF and PostScript, renders differently. */
const browserPdfPatterns: readonly RegExp[] = [
  /\bhwb\(|\bcontext-(?:fill|stroke)\b|\bref[XY]\s{0,9}=\s{0,9}["']\s{0,9}[a-z]/,
  /\bdominant-baseline\s{0,9}[:=]\s{0,9}["']?\s{0,9}(?:central|middle)/,
  /\bfont(?:-size)?\s{0,9}[:=]\s{0,9}["']?[^;"'<>{}]{0,200}?(?:small|large|medium)/,
  // Clip paths within clip paths.
  /<(?:\w{1,40}:)?clipPath\b[^<>]{0,4000}?[\s;"']clip-path\s{0,9}[:=]/,
  /<(?:\w{1,40}:)?clipPath\b[^<>]{0,4000}(?<!\/)>(?:(?!<\/(?:\w{1,40}:)?clipPath)[\s\S]){0,4000}?[\s;"']clip-path\s{0,9}[:=]/,
  // Blend modes that are computed from hue and saturation, and tiles.
  /\bmix-blend-mode\s{0,9}:\s{0,9}(?:hue|saturation|color|luminosity)\b|<(?:\w{1,40}:)?feTile\b/,
]

/**
 * Embedded files other than PNG and JPEG, judged by their first bytes: librsvg leaves most of them out and renders the
 * details of embedded drawings differently.
 */
const otherEmbeddedFilePattern =
  /\bdata:(?!image\/(?:png|jpe?g)\s{0,9};base64,(?:\s|&#\w{1,4};){0,99}(?:iVBOR|\/9j\/))[\w;=+./-]{0,200},/i
/** Images that the older librsvg leaves out because their media type is not registered. */
const unregisteredTypePattern = /\bdata:image\/jpg\b/i

/** Whether a `use` element may repeat a nested `svg` element, whose own size librsvg ignores. */
const mayRepeatNestedSvg = (text: string) =>
  /<(?:\w{1,40}:)?use\b/.test(text) && /<(?:\w{1,40}:)?svg\b[^<>]*>[\s\S]*<(?:\w{1,40}:)?svg\b/.test(text)

/** Whether only a browser renders a drawing correctly. @param svg decoded as Latin-1, one character per byte. */
export function needsBrowser(svg: string): boolean {
  if (isUtf16(svg) || otherEmbeddedFilePattern.test(svg)) return true
  const text = removeEmbeddedFiles(svg)
  return browserOnlyPatterns.some((pattern) => pattern.test(text)) || mayRepeatNestedSvg(text)
}

/** Whether only a browser converts a drawing to PDF correctly, even if librsvg renders it correctly as an image. */
export function needsBrowserForPdf(svg: string): boolean {
  const text = removeEmbeddedFiles(svg)
  return unregisteredTypePattern.test(svg) || browserPdfPatterns.some((pattern) => pattern.test(text))
}

/** UTF-16 is not searched for features. */
const isUtf16 = (svg: string) => /^(?:\xff\xfe|\xfe\xff)/.test(svg)

/** Removes embedded images and fonts, and comments. */
const removeEmbeddedFiles = (svg: string) =>
  svg.replace(/data:[^"')>]*/g, '').replace(/<!--[\s\S]*?(?:-->|$)/g, '')
