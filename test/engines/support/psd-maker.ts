/** Content of a Photoshop document for tests. Each layer has a single color: one value per channel. */
interface PsdContent {
  readonly mode: 'gray' | 'rgb' | 'cmyk'
  /** Levels of the merged image. CMYK is stored inverted: 255 is no ink. */
  readonly levels: readonly number[]
  readonly profile?: Uint8Array
  /** Layers from bottom to top. */
  readonly layers?: readonly PsdLayer[]
  /** The first channel after the colors is the transparency of the merged image, not a saved selection. */
  readonly hasTransparency?: boolean
  /** Whether the merged image is blank, as in documents for programs that read the layers. */
  readonly lacksMergedImage?: boolean
}

interface PsdLayer {
  readonly levels: readonly number[]
  /** Level of the layer mask: 255 shows the layer, 0 hides it. */
  readonly mask?: number
}

const modeCodes = { gray: 1, rgb: 3, cmyk: 4 } as const
const side = 16

const u16 = (value: number) => Buffer.from([(value >> 8) & 255, value & 255])
const u32 = (value: number) => Buffer.concat([u16(value >>> 16), u16(value & 0xffff)])
const addLength = (...parts: readonly Uint8Array[]) => {
  const body = Buffer.concat(parts)
  return Buffer.concat([u32(body.length), body])
}
const createPlane = (level: number) => Buffer.alloc(side * side, level)
const box = Buffer.concat([0, 0, side, side].map(u32))

function createResource(id: number, data: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from('8BIM'), u16(id), u16(0), addLength(data), Buffer.alloc(data.length % 2)])
}

function createLayerRecord({ levels, mask }: PsdLayer): Buffer {
  const ids = [-1, ...levels.keys(), ...(mask === undefined ? [] : [-2])]
  const channels = ids.map((id) => Buffer.concat([u16(id), u32(2 + side * side)]))
  const maskData = mask === undefined ? [] : [box, Buffer.alloc(4)]
  const extra = addLength(addLength(...maskData), addLength(), Buffer.from('\x03top'))
  const blending = Buffer.from('8BIMnorm\xff\0\0\0', 'latin1')
  return Buffer.concat([box, u16(ids.length), ...channels, blending, extra])
}

function createLayerSection({ layers = [], hasTransparency = false }: PsdContent): Buffer {
  if (layers.length === 0) return addLength()
  const pixels = layers.flatMap(({ levels, mask }) =>
    [255, ...levels, ...(mask === undefined ? [] : [mask])].flatMap((level) => [u16(0), createPlane(level)]),
  )
  const count = u16(hasTransparency ? -layers.length : layers.length)
  return addLength(addLength(count, ...layers.map(createLayerRecord), ...pixels), addLength())
}

/** Creates an uncompressed Photoshop document of 8 bits per channel (Adobe Photoshop File Formats Specification). */
export function createPsd(content: PsdContent): Buffer {
  const { mode, levels, profile, lacksMergedImage = false } = content
  const header = [u16(1), Buffer.alloc(6), u16(levels.length), u32(side), u32(side), u16(8)]
  const version = Buffer.from([0, 0, 0, 1, lacksMergedImage ? 0 : 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
  const resources = [createResource(1057, version), ...(profile ? [createResource(1039, profile)] : [])]
  return Buffer.concat([
    Buffer.from('8BPS'),
    ...header,
    u16(modeCodes[mode]),
    addLength(),
    addLength(...resources),
    createLayerSection(content),
    u16(0),
    ...levels.map(createPlane),
  ])
}
