import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../../errors.ts'
import { type FormatId, formatById } from '../../../formats/index.ts'
import type { EngineResult, EngineWork, Tools } from '../../engine.ts'
import { openPdf } from '../../pdf/open-pdf.ts'
import { EngineCrash } from '../../sandbox/engine-crash.ts'
import { ProcessFailure } from '../../sandbox/exec.ts'
import { PdfReadOptions } from './capabilities.ts'
import { runExiftool } from './exiftool.ts'

type TagGroup = Readonly<Record<string, unknown>>
const ExiftoolOutput = z.tuple([z.record(z.string(), z.unknown())])
const isGroup = (value: unknown): value is TagGroup =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the metadata of a file as JSON, with an object per group of tags. */
export async function readMetadataAsJson(
  { inputs, from, options, outDir }: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const [input] = inputs
  if (!input) throw new Error('metadata was called without an input.')
  const isPdf = from === 'pdf'
  const source = isPdf
    ? (await openPdf(input.path, PdfReadOptions.parse(options).password, tools)).path
    : input.path
  const output = await readAllTags(source, from, tools)
  const groups = Object.entries(output).flatMap(([name, group]): [string, TagGroup][] =>
    isGroup(group) && !internalGroups.includes(name) ? [[name, cleanGroup(group)]] : [],
  )
  if (isGroup(output.ExifTool) && 'Warning' in output.ExifTool) {
    tools.warn(
      'METADATA_INCOMPLETE',
      'The file is partly damaged; the metadata that could be read is included.',
    )
  }
  const path = join(outDir, 'output.json')
  await writeFile(path, `${JSON.stringify(Object.fromEntries(groups), null, 2)}\n`)
  tools.progress(1)
  const tags = groups.reduce((sum, [, group]) => sum + Object.keys(group).length, 0)
  const version = isGroup(output['ExifTool']) ? String(output['ExifTool']['ExifToolVersion']) : 'unknown'
  return { files: [{ path, format: 'json' }], details: { tags }, program: { name: 'exiftool', version } }
}

/** Groups about exiftool itself and about our temporary copy of the file. */
const internalGroups = ['ExifTool', 'System']

async function readAllTags(path: string, from: FormatId, tools: Tools): Promise<TagGroup> {
  try {
    const stdout = await runExiftool(['-json', '-g1', '-struct', '-coordFormat', '%+.6f', path], tools)
    return ExiftoolOutput.parse(JSON.parse(stdout))[0]
  } catch (error) {
    throw explainFailure(error, from)
  }
}

function explainFailure(error: unknown, from: FormatId): unknown {
  const { name } = formatById(from)
  if (error instanceof ProcessFailure) {
    const message = `The ${name} (${from}) file is damaged or incomplete.`
    return new AppError('CORRUPT_FILE', message, { field: 'file', format: from }, { cause: error })
  }
  if (!(error instanceof EngineCrash) || error.signal !== 'its output limit') return error
  const message = `The ${name} (${from}) has more metadata than the limit of 10 MB.`
  return new AppError('FILE_TOO_LARGE', message, { field: 'file', limitMb: 10 }, { cause: error })
}

/** Whether exiftool printed only the size of binary data, such as an embedded image. */
const isBinaryPlaceholder = (value: unknown) =>
  typeof value === 'string' && /^\(Binary data \d+ bytes, use -b/.test(value)

const cleanGroup = (group: TagGroup): TagGroup =>
  Object.fromEntries(
    Object.entries(group).flatMap(([name, value]) =>
      isBinaryPlaceholder(value) ? [] : [[name, cleanValue(value)]],
    ),
  )

function cleanValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isBinaryPlaceholder(item)).map(cleanValue)
  return isGroup(value) ? cleanGroup(value) : value
}
