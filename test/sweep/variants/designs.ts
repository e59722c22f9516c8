import {
  clearCommands,
  createCommandVariant,
  createMagickVariant,
  depthArgs,
  kinds,
} from './image-commands.ts'
import { each, type Variant } from './variant.ts'

/** Half of the ink of its only layer is hidden by a mask, and the merged image is blank. */
function createMaskedPsd(): Variant {
  const paper = [255, 255, 255, 255]
  const content = {
    mode: 'cmyk',
    levels: paper,
    layers: [{ levels: paper }, { levels: [0, 255, 255, 255], mask: 128 }],
    lacksMergedImage: true,
  }
  const script = `const { createPsd } = await import(process.argv[1])
    require('node:fs').writeFileSync(process.argv[2], createPsd(${JSON.stringify(content)}))`
  const maker = new URL('../../engines/support/psd-maker.ts', import.meta.url).pathname
  return {
    area: 'image',
    name: 'masked-cmyk.psd',
    commands: [
      [process.execPath, '-e', `(async () => { ${script} })()`, maker, '{out}'],
      ['convert', '-size', '16x16', 'xc:rgb(128,214,247)', '{out}.png'],
    ],
    comparisonPath: '{out}.png',
    targets: ['png', 'jpg', 'webp', 'tiff'],
  }
}

/** A drawing whose lengths are multiples of the font size of its root. */
const createRootFontSvg = (name: string, fontSize: string): Variant => ({
  area: 'image',
  name,
  commands: [
    [
      ...['sh', '-c', 'printf %s "$1" > "$0"', '{out}'],
      `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="90" ${fontSize}>
        <rect width="100%" height="100%" fill="#fff"/><rect width="2em" height="1.5em"/></svg>`,
    ],
    ['convert', '-size', '120x90', 'xc:white', '-draw', 'rectangle 0,0 59,44', '{out}.png'],
  ],
  comparisonPath: '{out}.png',
  targets: ['png', 'jpg', 'webp', 'tiff'],
})

export const designVariants: readonly Variant[] = [
  ...each(
    { gray: kinds.gray, rgb: kinds.rgb, cmyk: kinds.cmyk, lab: ['-colorspace', 'Lab'] },
    depthArgs,
  ).flatMap(([name, kind, depth]) => [
    createMagickVariant(`${name}.psd`, ...kind, ...depth, '-compress', 'RLE'),
    createMagickVariant(`${name}.psb`, ...kind, ...depth, '-compress', 'None'),
  ]),
  createCommandVariant('alpha.psd', 'convert', ...clearCommands, '{out}'),
  createMagickVariant('bilevel.psd', '-monochrome'),
  createMaskedPsd(),
  createRootFontSvg('font-attribute.svg', 'font-size="30"'),
  createRootFontSvg('font-style.svg', 'style="font-size:30px"'),
]
