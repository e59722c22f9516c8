import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import ttf2eot from 'ttf2eot'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import type { Capability, Engine, EngineResult, EngineWork, Tools } from './engine.ts'
import { integer } from './options.ts'
import { EngineCrash } from './sandbox/engine-crash.ts'
import { ProcessFailure } from './sandbox/exec.ts'
import { pythonPath, runPython } from './sandbox/python.ts'

const outlineFormats = [
  'ttf',
  'otf',
  'woff',
  'woff2',
  'eot',
  'dfont',
  'pfb',
  'pfa',
  't42',
  'svg-font',
  'ufo',
  'sfd',
  'cff',
] as const

const shape = {
  subset: z
    .string()
    .min(1)
    .max(20_000)
    .optional()
    .describe('Keep only these characters: as text, or as ranges such as U+0020-007E,U+20AC'),
  hinting: z
    .enum(['keep', 'none'])
    .default('keep')
    .describe(
      'none removes the hints, which sharpen small text on low-resolution screens; the file becomes smaller',
    ),
}
const face = integer(1, 1000).default(1).describe('Number of the font in a collection, starting at 1')
const pixelSize = integer(6, 96).default(16).describe('Height of the bitmaps in pixels')

const createCapability = (
  from: readonly FormatId[],
  to: readonly FormatId[],
  moreOptions: z.ZodRawShape,
): Capability => ({
  operation: 'convert',
  from,
  to,
  same: true,
  options: z.object({ ...shape, ...moreOptions }),
  cost: 0.4,
})

/** Converts fonts with FontForge and fontTools. */
export const fontforge: Engine = {
  id: 'fontforge',
  image: 'font',
  capabilities: [
    createCapability(outlineFormats, [...outlineFormats, 'ttc'], {}),
    createCapability(outlineFormats, ['bdf'], { pixelSize }),
    createCapability(['ttc'], outlineFormats, { face }),
    createCapability(['ttc'], ['bdf'], { face, pixelSize }),
  ],
  limits: { memoryMb: 2048, diskMb: 2048, timeoutS: 300 },
  version: [pythonPath, '-c', 'import fontforge; print("FontForge", fontforge.version())'],
  run,
}

// A loose schema, because options that only some rows have, such as `face`, are passed to the program as parsed.
const Options = z.looseObject({ subset: shape.subset, hinting: shape.hinting })

const FontFacts = z.object({
  family: z.string().nullable(),
  glyphs: z.int(),
  faces: z.int(),
  dropped: z.array(z.string()),
})

async function run(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error('fontforge was called without an input.')
  const options = Options.parse(work.options)
  const { extensions } = formatById(work.to)
  const path = join(work.outDir, `result.${extensions[0]}`)
  // EOT is TrueType with an additional header.
  const outputPath = work.to === 'eot' ? join(work.outDir, 'result.ttf') : path
  const target = work.to === 'eot' ? 'ttf' : work.to
  tools.progress(0.1)
  const args = [input.path, work.from, outputPath, target, JSON.stringify(options)]
  const fontFacts = await convert(args, work, tools)
  if (work.to === 'eot') await writeFile(path, ttf2eot(await readFile(outputPath)))
  tools.progress(1)
  if (fontFacts.faces > 1 && work.to !== 'ttc') {
    const message = `One of the ${fontFacts.faces} fonts in the collection was converted; use the option face to choose another.`
    tools.warn('FACES_DROPPED', message)
  }
  if (fontFacts.dropped.length > 0) {
    tools.warn(
      'FONT_TABLES_DROPPED',
      `The font has ${fontFacts.dropped.join(' and ')}, which could not be kept in ${work.to}.`,
    )
  }
  return {
    files: [{ path }],
    details: { glyphs: fontFacts.glyphs, ...(fontFacts.family && { family: fontFacts.family }) },
  }
}

async function convert(
  args: readonly string[],
  work: EngineWork,
  tools: Tools,
): Promise<z.infer<typeof FontFacts>> {
  try {
    const { stdout } = await runPython('font/convert_font.py', args, tools)
    return FontFacts.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''))
  } catch (error) {
    throw explainFailure(error, work)
  }
}

/**
 * Converts the failure of `layers/font/convert_font.py`, which prints the reason after `refused:`, and exits with 4 if
 * the font is intact.
 */
function explainFailure(error: unknown, { from, to }: EngineWork): unknown {
  if (error instanceof EngineCrash) {
    const message = `The ${formatById(from).name} (${from}) is damaged: reading it crashes the font program.`
    return new AppError('CORRUPT_FILE', message, { field: 'file', format: from }, { cause: error })
  }
  if (!(error instanceof ProcessFailure)) return error
  const reason = /^refused: (.{1,200})$/m.exec(error.stderr)?.[1]
  const optionName = /^(subset|face): /.exec(reason ?? '')?.[1]
  if (optionName) return new AppError('INVALID_INPUT', `${reason}.`, { field: optionName }, { cause: error })
  if (error.exitCode === 4) {
    const message = `The ${formatById(from).name} (${from}) cannot become ${to}: ${reason}.`
    return new AppError('UNSUPPORTED_CONVERSION', message, { from, to }, { cause: error })
  }
  const message = `The file is damaged or not a ${formatById(from).name} (${from})${reason ? `: ${reason}` : ''}.`
  return new AppError('CORRUPT_FILE', message, { field: 'file', format: from }, { cause: error })
}
