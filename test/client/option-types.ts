// Compiled by option-types.test.ts, never run: options are checked by the target format or the tool.
import { Mutabor, type Options, type TargetOptions } from '../../lib/client/index.ts'

const client = new Mutabor()
const file = new Blob([])

export const correctCalls = [
  () => client.convert(file, 'jpg'),
  () => client.convert(file, 'jpg', {}, { tag: 'a' }),
  () => client.convert(file, 'jpg', { quality: 80, background: undefined }),
  () => client.convert(file, 'jpg', { quality: 'high' }),
  () => client.convert(file, 'pdf', { pageSize: 'A4', rotate: '90', pdfEngine: 'auto' }),
  () => client.convert(file, 'mp4', { codec: 'h265', videoBitrate: '2M' }),
  // Options of an engine that has to be chosen.
  () => client.convert(file, 'svg', { invert: true }, { engine: 'potrace' }),
  () => client.tool(file, 'split-pdf', { pages: '1-5' }),
  () => client.tool(file, 'redact-pdf', { terms: ['a', 'b'] }),
  () => client.tool(file, 'add-page-numbers-pdf', { fontColor: '#ff8800' }),
]

/** Values that are known only at run time are not checked. */
export const dynamicCalls = [
  (to: string) => client.convert(file, to, { anything: 1 }),
  (to: string, options: Options) => client.convert(file, to, options),
  (options: Options) => client.convert(file, 'jpg', options),
  (options: Record<string, unknown>) => client.convert(file, 'jpg', options, { tag: 'a' }),
  (to: 'jpg' | 'png') => client.convert(file, to, { quality: 80 }),
  (to: keyof TargetOptions) => client.convert(file, to),
  () => client.convert(file, 'a-later-format', { anything: 1 }),
  (tool: string, options: Options) => client.tool(file, tool, options),
  (options: Options) => client.tool(file, 'split-pdf', options),
  () => client.tool(file, 'a-later-tool', { anything: 1 }),
]

export const incorrectCalls = [
  // @ts-expect-error a typing error
  () => client.convert(file, 'pdf', { pageSise: 'A4' }),
  // @ts-expect-error an option of audio
  () => client.convert(file, 'jpg', { audioCodec: 'mp3' }),
  // @ts-expect-error no level of quality
  () => client.convert(file, 'jpg', { quality: 'best' }),
  // @ts-expect-error a codec of other videos
  () => client.convert(file, 'webm', { codec: 'h264' }),
  // @ts-expect-error a number is expected
  () => client.convert(file, 'png', { width: 'wide' }),
  // @ts-expect-error an option of other tools
  () => client.tool(file, 'split-pdf', { terms: 'a' }),
  // @ts-expect-error no right angle
  () => client.tool(file, 'rotate-pdf', { rotate: 45 }),
]
