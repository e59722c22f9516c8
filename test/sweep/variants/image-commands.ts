import type { Variant } from './variant.ts'

/** Colors that change everywhere, so that a lost line or a wrong plane is noticed. */
export const colors = [
  '-seed',
  '7',
  '-size',
  '120x90',
  'plasma:tomato-steelblue',
  '+set',
  'date:create',
  '+set',
  'date:modify',
]
export const clearCommands = [
  ...colors,
  '(',
  '-size',
  '120x90',
  'radial-gradient:white-gray',
  ')',
  '-alpha',
  'off',
  '-compose',
  'CopyOpacity',
  '-composite',
]

export const createMagickVariant = (name: string, ...args: string[]): Variant => ({
  area: 'image',
  name,
  commands: [['convert', ...colors, ...args, '{out}']],
})
export const createCommandVariant = (name: string, ...command: string[]): Variant => ({
  area: 'image',
  name,
  commands: [command],
})

export const kinds = {
  gray: ['-colorspace', 'Gray'],
  palette: ['-colors', '60', '-type', 'Palette'],
  rgb: ['-type', 'TrueColor'],
  cmyk: ['-colorspace', 'CMYK'],
} as const
export const compressionArgs = {
  none: ['-compress', 'None'],
  lzw: ['-compress', 'LZW'],
  zip: ['-compress', 'Zip'],
  packbits: ['-compress', 'RLE'],
  jpeg: ['-compress', 'JPEG'],
  lzma: ['-compress', 'LZMA'],
} as const
export const depthArgs = { 8: ['-depth', '8'], 16: ['-depth', '16'] } as const
