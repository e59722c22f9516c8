import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EngineId } from '../../../lib/component-ids.ts'
import { needsBrowser, needsBrowserForPdf } from '../../../lib/formats/detect/svg-traits.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { createOptionsSchema } from '../../../lib/plan/index.ts'
import { planRoute } from '../../plan/with-all-engines.ts'

describe('SVG engines', () => {
  const createSvg = (content: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${content}</svg>`

  test('an SVG needs the browser for features that librsvg does not support', () => {
    for (const content of [
      '<style>@font-face{font-family:a;src:url(data:font/woff2;base64,AAAA)}</style><text>a</text>',
      '<text><textPath href="#a">a</textPath></text>',
      '<text x="1 2 3" y="4">abc</text>',
      '<text rotate="10">a</text>',
      '<text textLength="9">a</text>',
      '<text>\xf0\x9f\x98\x80</text>',
      '<foreignObject width="9" height="9"/>',
      '<rect style="fill:var(--a)"/>',
      '<rect fill="oklch(0.7 0.2 140)"/>',
      '<rect style="clip-path:circle(3px)"/>',
      '<rect style="mask-image:linear-gradient(black,transparent)"/>',
      '<filter id="a"><feGaussianBlur in="BackgroundImage"/></filter>',
      '<rect style="transform-origin:4px 4px;transform:rotate(45deg)"/>',
      '<style>@media screen{rect{fill:red}}</style><rect/>',
      '<rect width="5rem" height="9"/>',
      '<rect style="filter:blur(2px) hue-rotate(90deg)"/>',
      '<style>@keyframes a{from{opacity:0}}rect{opacity:0;animation:a 1s forwards}</style><rect/>',
      '<text text-decoration="underline wavy">a</text>',
      '<text>\xe2\xad\x90</text>',
      '<text>&#x2705;</text>',
      '<text>a<tspan opacity=".5">b</tspan></text>',
      '<style media="print">rect{fill:red}</style><rect/>',
      '<g fill="red"><rect style="fill:initial"/></g>',
      '<rect style="clip-path:fill-box"/>',
      '<rect style="transform:translate(50%)"/>',
      '<g><svg transform="rotate(9)"/></g>',
      '<style>.icon{width:1em}</style><svg class="icon"/>',
      '<image width="9" href="a.png"/>',
      '<linearGradient color-interpolation="linearRGB"/>',
      '<image width="9" height="9" href="data:image/png;base64,UklGRg"/>',
      '<image width="9" height="9" href="data:;base64,Qk0"/>',
      '<image width="9" height="9" href="data:image/svg+xml,%3Csvg/>"/>',
      '<defs><svg id="a" width="9" height="9"/></defs><use href="#a"/>',
    ])
      assert.equal(needsBrowser(createSvg(content)), true, content)
  })

  test('an SVG does not need the browser for features that librsvg supports', () => {
    for (const content of [
      '<text x="1" y="2" style="word-spacing:normal;text-transform:none;text-shadow:none">a</text>',
      '<rect style="filter:blur(4px);mix-blend-mode:multiply" transform="rotate(45)"/>',
      '<mask id="a"><rect fill="#fff"/></mask><rect mask="url(#a)" clip-path="url(#b)"/>',
      '<filter id="a"><feTurbulence/><feDropShadow/></filter>',
      '<image width="9" height="9" href="data:image/png;base64,iVBORw0KGgo9vh+textPath@media9rem"/>',
      '<!-- @font-face var(--a) --><path d="M1 2L3 4"/>',
    ])
      assert.equal(needsBrowser(createSvg(content)), false, content)
  })

  test('an SVG is converted to PDF by the browser if it has features that only the older librsvg lacks', () => {
    for (const content of [
      '<rect fill="hwb(200 10% 20%)"/>',
      '<text dominant-baseline="middle">a</text>',
      '<text style="font-size:smaller">a</text>',
      '<marker refX="center"/>',
      '<clipPath id="a" clip-path="url(#b)"/>',
      '<clipPath id="a"><rect width="9" clip-path="url(#b)"/></clipPath>',
      '<rect style="mix-blend-mode:hue"/>',
      '<image width="9" height="9" href="data:image/jpg;base64,/9j/4A"/>',
    ]) {
      const svg = createSvg(content)
      assert.deepEqual([needsBrowser(svg), needsBrowserForPdf(svg)], [false, true], content)
    }
    assert.equal(needsBrowserForPdf(createSvg('<clipPath id="a"/><rect clip-path="url(#a)"/>')), false)
    const traits = ['browser-pdf-drawing'] as const
    assert.equal(planRoute({ from: 'svg', to: 'pdf', traits }).steps[0].engine, 'chromium')
    assert.equal(planRoute({ from: 'svg', to: 'png', traits }).steps[0].engine, 'vips')
  })

  test('an SVG that librsvg cannot render is rendered to PNG, PDF or AVIF by the browser, unless vips is requested', () => {
    const planSteps = (to: FormatId, engine?: EngineId) =>
      planRoute({ from: 'svg', to, engine, traits: ['browser-drawing'] })
        .steps.map((step) => `${step.engine}:${step.to}`)
        .join(' ')
    assert.equal(planSteps('png'), 'chromium:png')
    assert.equal(planSteps('pdf'), 'chromium:pdf')
    assert.equal(planSteps('avif'), 'chromium:png vips:avif')
    assert.equal(planSteps('png', 'vips'), 'vips:png')
    assert.equal(planSteps('eps'), 'ghostscript:eps')
    assert.equal(planRoute({ from: 'svg', to: 'png' }).steps[0].engine, 'vips')
    const thumbnail = planRoute({
      from: 'svg',
      to: 'png',
      operation: 'thumbnail',
      traits: ['browser-drawing'],
    })
    assert.equal(thumbnail.steps[0].engine, 'chromium')
  })

  test('an SVG rendered by the browser has all options that it has with librsvg', () => {
    const listNames = (route: ReturnType<typeof planRoute>) => Object.keys(createOptionsSchema(route).shape)
    const withLibrsvg = listNames(planRoute({ from: 'svg', to: 'png' }))
    const withBrowser = listNames(planRoute({ from: 'svg', to: 'png', traits: ['browser-drawing'] }))
    assert.deepEqual(
      withLibrsvg.filter((name) => !withBrowser.includes(name)),
      [],
    )
  })
})
