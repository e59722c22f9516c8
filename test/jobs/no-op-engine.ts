import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Engine, Shortfall, Tools } from '../../lib/engines/engine.ts'
import type { StoredFile } from '../../lib/model/job.ts'
import { defined } from '../../lib/validation/defined.ts'

const Options = z.object({
  name: z.string().default(''),
  /** Number of characters of the name per chunk; the whole name when left out. */
  each: z.int().optional(),
})

/** A chunk: a substring of the name. */
const ChunkSpec = z.object({ number: z.int(), characters: z.string().optional() })

/** An image with one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)

/** A PNG with text after its end, which programs ignore. */
const createImageWith = (text: string) => Buffer.concat([pixel, Buffer.from(text)])

/** Returns the text that an engine has written into a file. */
export const readImageText = (bytes: Uint8Array = new Uint8Array()): string =>
  Buffer.from(bytes)
    .subarray(pixel.equals(bytes.subarray(0, pixel.length)) ? pixel.length : 0)
    .toString()

const limits = { memoryMb: 1, diskMb: 1, timeoutS: 600 }
const version = () => '1.0'

/** Called in the task with this name before its file is written. */
export type Behavior = (name: string, tools: Tools) => Promise<Shortfall | undefined>

/**
 * Engines without programs, whose output is a file that contains the name of the task. `libreoffice` converts documents
 * to PDF in another image. `vips` splits names into chunks of characters, and needs its PDF inputs again for joining.
 * GIFs are read by `vips`, by `imagemagick` in the same image and by `ffmpeg` in another image, in this order.
 */
export function createNoOpEngines(behavior: Behavior): readonly Engine[] {
  const createRun =
    (file: string, by = ''): Engine['run'] =>
    async ({ outDir, options, chunk, from, inputs: [input] }, tools) => {
      const { name: plain } = Options.parse(options)
      // For images that several engines read, the output names the engine.
      const name = from === 'gif' ? `${plain} by ${by}` : plain
      const { number, characters } = chunk ? ChunkSpec.parse(chunk) : { number: undefined, characters: name }
      const shortfall = await behavior(number === undefined ? name : `${name} part ${number}`, tools)
      tools.signal.throwIfAborted()
      const path = join(outDir, file)
      const text = characters ?? readImageText(await readFile(input?.path ?? ''))
      await writeFile(path, file === 'made.png' ? createImageWith(text) : text)
      if (number !== undefined) tools.warn('SHARED', 'It was split.')
      return { files: [{ path }], ...defined({ shortfall }) }
    }
  const split: Engine['split'] = async ({ options }, tools, { workers }) => {
    const { name, each } = Options.parse(options)
    if (each === undefined || workers < 2) return undefined
    const characters = name.match(new RegExp(`.{1,${each}}`, 'g')) ?? []
    // Every second chunk gets a file with its characters.
    return Promise.all(
      characters.map(async (chunkText, at) => {
        if (at % 2 === 0) return { spec: { number: at + 1, characters: chunkText } }
        const path = join(tools.workDir, `cut-${at}`)
        await writeFile(path, chunkText)
        return { spec: { number: at + 1 }, file: { path, format: 'pdf' as const } }
      }),
    )
  }
  const joinNeedsInputs: Engine['joinNeedsInputs'] = ({ from }) => from === 'pdf'
  const joinAll: Engine['join'] = async ({ operation, from, inputs, outDir, options }, results, tools) => {
    const shortfall = await behavior(`${Options.parse(options).name} joined`, tools)
    const path = join(outDir, 'made.png')
    if (joinNeedsInputs({ operation, from })) await readFile(inputs[0]?.path ?? '')
    const contents = await Promise.all(results.flatMap(({ files }) => files.map((one) => readFile(one.path))))
    await writeFile(path, createImageWith(contents.map((content) => readImageText(content)).join('')))
    return { files: [{ path }], ...defined({ shortfall }) }
  }
  return [
    {
      id: 'vips',
      image: 'image',
      limits,
      version,
      runsInWorker: true,
      run: createRun('made.png', 'vips'),
      split,
      join: joinAll,
      joinNeedsInputs,
      capabilities: [
        {
          operation: 'watermark',
          from: ['png'],
          to: ['png'],
          same: true,
          cost: 1,
          options: Options,
          more: { from: ['png'], min: 0, max: 1000 },
        },
        { operation: 'convert', from: ['pdf', 'gif'], to: ['png'], cost: 1, options: Options },
      ],
    },
    {
      id: 'imagemagick',
      image: 'image',
      limits,
      version,
      runsInWorker: true,
      run: createRun('made.png', 'imagemagick'),
      capabilities: [{ operation: 'convert', from: ['gif'], to: ['png'], cost: 2, options: Options }],
    },
    {
      id: 'ffmpeg',
      image: 'av',
      limits,
      version,
      runsInWorker: true,
      run: createRun('made.png', 'ffmpeg'),
      capabilities: [
        {
          operation: 'convert',
          from: ['gif'],
          to: ['png'],
          cost: 3,
          options: Options,
          lossWarning: 'The animation is lost.',
        },
      ],
    },
    {
      id: 'libreoffice',
      image: 'office',
      limits,
      version,
      runsInWorker: true,
      run: createRun('made.pdf'),
      capabilities: [{ operation: 'convert', from: ['docx'], to: ['pdf'], cost: 1, options: z.object({}) }],
    },
  ]
}

const file = (format: string, mimeType: string): StoredFile => ({
  key: `received/2d/${format}`,
  filename: `source.${format}`,
  format,
  mimeType,
  size: 1,
  sha256: '',
})

export const importedAnimation = file('gif', 'image/gif')
export const importedFile = file('png', 'image/png')
export const importedDocument = file(
  'docx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
)
