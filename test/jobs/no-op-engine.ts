import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Engine, Tools } from '../../lib/engines/engine.ts'
import type { StoredFile } from '../../lib/jobs/job.ts'

const Options = z.object({ name: z.string().default('') })

const limits = { memoryMb: 1, diskMb: 1, timeoutS: 600 }
const version = () => '1.0'

/** What happens in a task of this name before its file is there. */
export type Behavior = (name: string, tools: Tools) => Promise<void>

/**
 * Engines without a program: what they make of pictures is a file with the name of the task in it. The second goes on
 * in another image with what the first makes of documents.
 */
export function noOpEngines(behave: Behavior): readonly Engine[] {
  const makes =
    (file: string): Engine['run'] =>
    async ({ outDir, options }, tools) => {
      const { name } = Options.parse(options)
      await behave(name, tools)
      const path = join(outDir, file)
      await writeFile(path, name)
      return { files: [{ path }] }
    }
  return [
    {
      ...{ id: 'vips', image: 'image', limits, version, run: makes('made.png') },
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
