import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Engine, Tools } from '../../lib/engines/engine.ts'
import type { StoredFile } from '../../lib/jobs/job.ts'

const Options = z.object({
  name: z.string().default(''),
  /** Letters of the name of which a worker makes a file; all of them when left out. */
  each: z.int().optional(),
})

/** Some letters of a name. */
const Share = z.object({ number: z.int(), letters: z.string() })

const limits = { memoryMb: 1, diskMb: 1, timeoutS: 600 }
const version = () => '1.0'

/** What happens in a task of this name before its file is there. */
export type Behavior = (name: string, tools: Tools) => Promise<void>

/**
 * Engines without a program: what they make of pictures is a file with the name of the task in it. The second goes on
 * in another image with what the first makes of documents. The first shares out names, letter by letter.
 */
export function noOpEngines(behave: Behavior): readonly Engine[] {
  const makes =
    (file: string): Engine['run'] =>
    async ({ outDir, options, share }, tools) => {
      const { name } = Options.parse(options)
      const { number, letters } = share ? Share.parse(share) : { number: undefined, letters: name }
      await behave(number === undefined ? name : `${name} part ${number}`, tools)
      tools.signal.throwIfAborted()
      const path = join(outDir, file)
      await writeFile(path, letters)
      if (number !== undefined) tools.warn('SHARED', 'It was shared out.')
      return { files: [{ path }] }
    }
  const split: Engine['split'] = async ({ options }, _tools, workers) => {
    const { name, each } = Options.parse(options)
    if (each === undefined || workers < 2) return undefined
    const letters = name.match(new RegExp(`.{1,${each}}`, 'g')) ?? []
    return letters.map((some, at) => ({ number: at + 1, letters: some }))
  }
  const joinAll: Engine['join'] = async ({ outDir, options }, results, tools) => {
    await behave(`${Options.parse(options).name} joined`, tools)
    const path = join(outDir, 'made.png')
    const letters = results.flatMap(({ files }) => files.map((one) => readFile(one.path, 'utf8')))
    await writeFile(path, (await Promise.all(letters)).join(''))
    return { files: [{ path }] }
  }
  return [
    {
      ...{ id: 'vips', image: 'image', limits, version, run: makes('made.png'), split, join: joinAll },
      capabilities: [
        {
          ...{ operation: 'watermark', from: ['png'], to: ['png'], same: true, cost: 1 },
          ...{ options: Options, more: { from: ['png'], min: 0, max: 1000 } },
        },
        { operation: 'convert', from: ['pdf'], to: ['png'], cost: 1, options: Options },
      ],
    },
    {
      ...{ id: 'libreoffice', image: 'office', limits, version, run: makes('made.pdf') },
      capabilities: [{ operation: 'convert', from: ['docx'], to: ['pdf'], cost: 1, options: z.object({}) }],
    },
  ]
}

const file = (format: string, mimeType: string): StoredFile => ({
  ...{ key: `received/2d/${format}`, filename: `source.${format}`, format, mimeType, size: 1, sha256: '' },
})

export const importedFile = file('png', 'image/png')
export const importedDocument = file(
  'docx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
)
