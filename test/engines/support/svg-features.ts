// SVG drawings of 120 by 80 pixels, each with one feature of SVG. Text is drawn in a font that all renderers find.
import sharp from 'sharp'

const createPixel = async (format: 'png' | 'webp' | 'gif' | 'avif') => {
  const image = sharp({ create: { width: 8, height: 8, channels: 3, background: '#c00' } })
  return `data:image/${format};base64,${(await image.toFormat(format).toBuffer()).toString('base64')}`
}
const createSvg = (content: string) =>
  `data:image/svg+xml;base64,${Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8">${content}</svg>`).toString('base64')}`
const createImage = (href: string) => `<image href="${href}" x="10" y="10" width="60" height="60"/>`
const createText = (attributes: string, content = 'Hamburg') =>
  `<text x="6" y="40" font-family="DejaVu Sans" font-size="20" ${attributes}>${content}</text>`
const gradient =
  '<linearGradient id="g"><stop stop-color="red"/><stop offset="1" stop-color="blue"/></linearGradient>'
const createSquare = (attributes: string) => `<rect x="10" y="10" width="60" height="50" ${attributes}/>`
const twoRings = 'M60 5a35 35 0 1 0 .1 0zM60 20a20 20 0 1 0 .1 0z'

/** Content of the root element, or the attributes of the root and its content. */
type Drawing = string | readonly [rootAttributes: string, content: string]

export const drawingsByFeature: Readonly<Record<string, Drawing>> = {
  'linear gradient': `<defs>${gradient}</defs>${createSquare('fill="url(#g)"')}`,
  'radial gradient with focus':
    '<radialGradient id="g" fx=".2" fy=".3" r=".6" spreadMethod="reflect"><stop stop-color="#ff0"/><stop offset="1" stop-color="#06c"/></radialGradient><rect width="120" height="80" fill="url(#g)"/>',
  'gradient inheritance': `<defs>${gradient}<linearGradient id="h" href="#g" gradientTransform="rotate(90)"/></defs>${createSquare('fill="url(#h)"')}`,
  pattern:
    '<pattern id="p" width="12" height="12" patternUnits="userSpaceOnUse" patternTransform="rotate(30)"><path d="M0 0h6v6h-6z" fill="green"/></pattern><rect width="120" height="80" fill="url(#p)"/>',
  'luminance mask':
    `<mask id="m"><rect width="60" height="80" fill="white"/><rect x="60" width="60" height="80" fill="#444"/></mask>${createSquare('mask="url(#m)" width="100"')}`.replace(
      ' width="60" height="50"',
      ' height="50"',
    ),
  'alpha mask': `<mask id="m" style="mask-type:alpha"><circle cx="40" cy="35" r="20" fill-opacity=".5"/></mask>${createSquare('mask="url(#m)"')}`,
  'clip path': `<clipPath id="c" clipPathUnits="objectBoundingBox"><circle cx=".5" cy=".5" r=".5"/></clipPath>${createSquare('clip-path="url(#c)"')}`,
  'clip rule': `<clipPath id="c"><path clip-rule="evenodd" d="${twoRings}"/></clipPath><rect width="120" height="80" clip-path="url(#c)"/>`,
  'blur filter': `<filter id="f"><feGaussianBlur stdDeviation="4"/></filter>${createSquare('filter="url(#f)"')}`,
  'drop shadow filter': `<filter id="f"><feDropShadow dx="8" dy="8" stdDeviation="3" flood-color="red"/></filter>${createSquare('filter="url(#f)"')}`,
  'color matrix filter': `<filter id="f"><feColorMatrix type="hueRotate" values="90"/></filter>${createSquare('fill="#a30" filter="url(#f)"')}`,
  'turbulence filter':
    '<filter id="f" x="0" y="0" width="1" height="1"><feTurbulence baseFrequency=".05" numOctaves="2" seed="3"/></filter><rect width="120" height="80" filter="url(#f)"/>',
  'lighting filter':
    '<filter id="f"><feDiffuseLighting lighting-color="#fc0" surfaceScale="3"><fePointLight x="20" y="20" z="30"/></feDiffuseLighting></filter><circle cx="50" cy="40" r="30" filter="url(#f)"/>',
  'CSS filter function': createSquare('fill="#a30" style="filter:sepia(1)"'),
  markers:
    '<marker id="m" orient="auto-start-reverse" refX="5" refY="5" markerWidth="5" markerHeight="5" viewBox="0 0 10 10"><path d="M0 0L10 5L0 10z"/></marker><path d="M15 60L50 20L100 60" fill="none" stroke="#000" stroke-width="3" marker-start="url(#m)" marker-mid="url(#m)" marker-end="url(#m)"/>',
  'context fill':
    '<marker id="m" refX="5" refY="5" markerWidth="8" markerHeight="8" viewBox="0 0 10 10"><circle cx="5" cy="5" r="5" fill="context-stroke"/></marker><path d="M15 60L100 20" stroke="red" stroke-width="4" marker-start="url(#m)" marker-end="url(#m)"/>',
  'text on a path':
    `<path id="t" d="M10 60Q60 0 110 60"/>${createText('', '<textPath href="#t">Curved text</textPath>').replace('<path ', '<path fill="none" ')}`.replace(
      '<path ',
      '<path fill="none" ',
    ),
  'text positions per character': createText('dx="0 5 5 5" dy="0 4 -8 8"'),
  'shifted tspan': createText('', 'a<tspan dy="-10" font-size="12">2</tspan><tspan dx="8" dy="10">b</tspan>'),
  'text length': createText('textLength="105" lengthAdjust="spacingAndGlyphs"'),
  'letter spacing': createText('letter-spacing="4"'),
  'word spacing': createText('word-spacing="12"', 'a b c d'),
  'vertical text': `<text x="60" y="5" font-family="DejaVu Sans" font-size="18" writing-mode="vertical-rl">Abc</text>`,
  'centered text': `<text x="60" y="40" font-family="DejaVu Sans" font-size="20" text-anchor="middle">Middle</text>`,
  'dominant baseline': createText('dominant-baseline="hanging"'),
  'underlined text': createText('text-decoration="underline" stroke="red" stroke-width=".5"'),
  'bold italic text': createText('font-weight="bold" font-style="italic"'),
  'right-to-left text': createText('direction="rtl" x="110"', 'שלום abc').replace('x="6" ', ''),
  'small caps': createText('font-variant="small-caps"'),
  'switch with languages':
    '<switch><rect systemLanguage="fr" width="120" height="80" fill="red"/><rect systemLanguage="en" width="60" height="80" fill="green"/><rect width="120" height="80" fill="blue"/></switch>',
  'symbol with viewBox':
    '<symbol id="s" viewBox="0 0 10 10"><circle cx="5" cy="5" r="5"/></symbol><use href="#s" x="10" y="10" width="40" height="60"/><use href="#s" x="60" y="10" width="50" height="20" fill="red"/>',
  'nested svg':
    '<svg x="20" y="10" width="60" height="40" viewBox="0 0 30 30" preserveAspectRatio="xMinYMid slice"><circle cx="15" cy="15" r="15" fill="orange"/></svg>',
  'preserveAspectRatio none': [
    'width="120" height="80" viewBox="0 0 10 10" preserveAspectRatio="none"',
    '<circle cx="5" cy="5" r="5"/>',
  ],
  'only a viewBox': ['viewBox="0 0 120 80"', '<circle cx="60" cy="40" r="30"/>'],
  'CSS selectors':
    '<style>g>rect:nth-child(2){fill:red} [data-a="b"]{fill:green} rect:not(.x){stroke:blue}</style><g><rect width="30" height="30"/><rect x="40" width="30" height="30"/><rect class="x" data-a="b" x="80" width="30" height="30"/></g>',
  'CSS variables': `<style>svg{--c:purple}rect{fill:var(--c)}</style>${createSquare('')}`,
  'CSS nesting': `<style>g{rect{fill:teal}}</style><g>${createSquare('')}</g>`,
  'CSS import of data': `<style>@import url("data:text/css,rect{fill:lime}");</style>${createSquare('')}`,
  units:
    '<rect x="2mm" y="1pc" width="0.5in" height="24pt"/><rect x="50%" y="1em" width="2ex" height="1cm" fill="red"/>',
  'transform origin': createSquare('transform="rotate(30)" transform-origin="40 35"'),
  'transform box': createSquare(
    'style="transform:rotate(20deg);transform-box:fill-box;transform-origin:center"',
  ),
  'current color': [
    'width="120" height="80" color="green"',
    createSquare('fill="currentColor" stroke="currentcolor"'),
  ],
  'paint order': createText('paint-order="stroke" stroke="red" stroke-width="5"'),
  'blend mode':
    '<rect width="70" height="50" fill="#f80"/><rect x="40" y="20" width="70" height="50" fill="#08f" style="mix-blend-mode:multiply"/>',
  isolation:
    '<rect width="120" height="80" fill="#f80"/><g style="isolation:isolate"><rect x="40" y="20" width="40" height="40" fill="#08f" style="mix-blend-mode:difference"/></g>',
  'embedded PNG': createImage(await createPixel('png')),
  'embedded WebP': createImage(await createPixel('webp')),
  'embedded GIF': createImage(await createPixel('gif')),
  'embedded AVIF': createImage(await createPixel('avif')),
  'embedded SVG': createImage(createSvg('<circle cx="4" cy="4" r="4" fill="navy"/>')),
  'image with preserveAspectRatio': `<image href="${createSvg('<circle cx="4" cy="4" r="4"/>')}" x="10" y="10" width="100" height="40" preserveAspectRatio="xMaxYMin meet"/>`,
  'image rendering': createImage(await createPixel('png')).replace(
    '<image',
    '<image image-rendering="pixelated"',
  ),
  'foreign object':
    '<foreignObject x="10" y="10" width="100" height="60"><div xmlns="http://www.w3.org/1999/xhtml" style="background:#ccf;height:40px">Hi</div></foreignObject>',
  'dash array':
    '<path d="M5 40H115" stroke="#000" stroke-width="8" stroke-dasharray="15 5 2" stroke-dashoffset="6" stroke-linecap="round"/>',
  'path length': '<path d="M5 40H115" pathLength="10" stroke="#000" stroke-width="8" stroke-dasharray="1"/>',
  'line joins':
    '<path d="M20 60L40 15L60 60" fill="none" stroke="#000" stroke-width="12" stroke-linejoin="miter" stroke-miterlimit="8"/><path d="M75 60L90 20L105 60" fill="none" stroke="red" stroke-width="12" stroke-linejoin="round"/>',
  'fill rule': `<path fill-rule="evenodd" d="${twoRings}"/>`,
  'group opacity':
    '<g opacity=".5"><rect width="60" height="60"/><rect x="30" y="20" width="60" height="60" fill="red"/></g>',
  'vector effect':
    '<g transform="scale(5)"><path d="M2 2L20 14" stroke="#000" stroke-width="3" vector-effect="non-scaling-stroke"/></g>',
  'xlink reference': `<defs><g id="a">${createSquare('')}</g></defs><use xlink:href="#a" x="20"/>`,
  'href before xlink:href':
    '<defs><rect id="a" width="40" height="40" fill="green"/><rect id="b" width="40" height="40" fill="red"/></defs><use xlink:href="#b" href="#a"/>',
  'first frame of an animation':
    '<rect width="40" height="40" fill="red"><animate attributeName="width" from="40" to="100" begin="2s" dur="3s"/></rect>',
  'font size of the root': [
    'width="120" height="80" font-size="30"',
    '<text x="6" y="40" font-family="DejaVu Sans">Root</text>',
  ],
  'em of the root': ['width="120" height="80" font-size="20"', '<rect width="3em" height="2em"/>'],
  'system color and hsl': createSquare(
    'fill="hsl(200 60% 50% / .5)" stroke="rebeccapurple" stroke-width="4"',
  ),
  'color function': createSquare('fill="color(display-p3 1 0 0)"'),
  'arcs and smooth curves':
    '<path d="M10 40a20 15 30 1 1 30 10zM60 40c0-30 40-30 40 0s-20 30-20 10t-10-5z" fill="olive"/>',
  'rounded rectangle':
    '<rect x="10" y="10" width="90" height="50" rx="20" ry="10"/><rect x="30" y="20" width="30" height="20" rx="50%" fill="red"/>',
  'polygon and ellipse':
    '<polygon points="10,70 60,5 110,70"/><ellipse cx="60" cy="50" rx="25" ry="10" fill="white"/>',
  'geometry by CSS':
    '<style>circle{cx:50px;cy:40px;r:30px} path{d:path("M80 10h30v30z")}</style><circle/><path/>',
  visibility:
    '<g visibility="hidden"><rect width="50" height="50"/><rect x="60" width="50" height="50" visibility="visible"/></g><rect y="60" width="30" height="20" display="none"/>',
  'overflow of a marker':
    '<marker id="m" overflow="visible" markerWidth="2" markerHeight="2"><circle r="4" fill="red"/></marker><path d="M30 40H90" stroke="#000" stroke-width="4" marker-end="url(#m)" marker-start="url(#m)"/>',
  'enclosed entities': createText('', 'a &lt; b &#38; c'),
  'white space': createText('xml:space="preserve"', '  a   b'),
}

export const renderSvgFeature = (drawing: Drawing): string => {
  const [attributes, content] = typeof drawing === 'string' ? ['width="120" height="80"', drawing] : drawing
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}</svg>`
}
