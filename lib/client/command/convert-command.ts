import { basename, join, resolve } from 'node:path'
import type { Arguments } from './arguments.ts'
import { fetchOptions, getExtension, requireKnownOptions } from './conversion-options.ts'
import { stateFolder } from './environment.ts'
import { type ExitCode, exitCodes, getErrorMessage, UsageError } from './exit-codes.ts'
import { type CommandInput, findInputs, getDefaultOutput, OutputNames } from './inputs.ts'
import { ResumeRecords } from './resume-records.ts'
import { runWorkItems } from './run-work-items.ts'
import type { CommandSession } from './session.ts'
import { convertThroughPipe, type WorkItem } from './work-item.ts'

/** Number of files converted at a time, enough to keep two processors and the network busy. */
const defaultConcurrency = 8

export function parseConcurrency({ flags }: Arguments): number {
  const maxConcurrent = Number(flags.jobs ?? defaultConcurrency)
  if (Number.isInteger(maxConcurrent) && maxConcurrent >= 1 && maxConcurrent <= 100) return maxConcurrent
  throw new UsageError(`--jobs: expected a number from 1 to 100, got ${flags.jobs}.`)
}

export const openRecords = ({ terminal }: CommandSession) =>
  new ResumeRecords(stateFolder, (reason) =>
    terminal.note(
      `Progress cannot be saved, so an interrupted command will start over: ${getErrorMessage(reason)}`,
    ),
  )

const looksLikeFormat = (word: string) => /^[a-z0-9]{1,12}$/i.test(word)

/** `mutabor FILE… FORMAT`: converts files. */
export async function convertFiles(args: Arguments, session: CommandSession): Promise<ExitCode> {
  const { flags, options } = args
  const files = flags.to === undefined ? args.words.slice(0, -1) : args.words
  const to = (flags.to ?? args.words.at(-1) ?? '').replace(/^\./, '')
  if (files.length === 0) {
    const problem = looksLikeFormat(to)
      ? `Name a file to convert to ${to}`
      : `Name the format to convert ${to} to`
    throw new UsageError(`${problem}, for example: mutabor report.docx pdf. mutabor help lists the commands.`)
  }
  if (!looksLikeFormat(to))
    throw new UsageError(`Expected the target format, such as pdf, as the last argument; got ${to}.`)
  if (files.includes('-')) return convertStdin(args, to, session)
  const isConvertible = async () => {
    const sources = await findSourceExtensions(to, session)
    return (extension: string) => sources.has(extension)
  }
  const inputs = await findInputs(files, isFolder(flags.out) ? flags.out : undefined, isConvertible)
  if (inputs.length === 0) throw new UsageError(`No file in ${files.join(', ')} can be converted to ${to}.`)
  requireSingleOutput(inputs, flags.out)
  await requireOptions(inputs, to, args, session)
  const output = flags.out !== undefined && !isFolder(flags.out) ? resolve(flags.out) : undefined
  const names = new OutputNames()
  const items = inputs.map((input): WorkItem => {
    const itemOutput = output ?? names.next(input, to)
    return {
      sources: [toSnapshot(input)],
      label: input.typedPath,
      request: { kind: 'convert', to },
      options,
      output: itemOutput,
      folder: input.folder,
      expectedPath: itemOutput ?? getDefaultOutput(input, to),
    }
  })
  const records = openRecords(session)
  const code = await runWorkItems(items, session, records, {
    force: flags.force === true,
    maxConcurrent: parseConcurrency(args),
  })
  await records.removeExpired()
  return code
}

const toSnapshot = ({ path, size, mtimeMs }: CommandInput) => ({ path, size, mtimeMs })

/** A path with a file extension names a file; any other path names a folder. */
const isFolder = (outputPath: string | undefined): boolean =>
  outputPath !== undefined && (outputPath.endsWith('/') || !/\.[a-z0-9]{1,8}$/i.test(basename(outputPath)))

function requireSingleOutput(inputs: readonly CommandInput[], outputPath: string | undefined): void {
  if (outputPath === undefined || isFolder(outputPath) || inputs.length <= 1) return
  throw new UsageError(
    `--out ${outputPath} is a single file, but there are ${inputs.length} files to convert. Name a folder, such as out/`,
  )
}

async function findSourceExtensions(to: string, { client }: CommandSession): Promise<ReadonlySet<string>> {
  const [formats, { conversions }] = await Promise.all([
    client.formats(),
    client.call('GET /v1/formats/conversions', { query: { to } }),
  ])
  const readableFormatIds = new Set(
    conversions.filter(({ experimental }) => !experimental).map(({ from }) => from),
  )
  return new Set(
    formats
      .filter(({ id }) => readableFormatIds.has(id) && id !== to)
      .flatMap(({ extensions }) => extensions),
  )
}

/** Checks the options before sending anything, so that a typo does not make two hundred files fail one by one. */
async function requireOptions(
  inputs: readonly CommandInput[],
  to: string,
  { options }: Arguments,
  { client }: CommandSession,
): Promise<void> {
  const names = Object.keys(options)
  if (names.length === 0) return
  for (const from of new Set(inputs.map(({ path }) => getExtension(path)))) {
    const knownOptions = await fetchOptions(client, { from, to })
    if (knownOptions) requireKnownOptions(names, knownOptions, `${from} → ${to}`)
  }
}

async function convertStdin(args: Arguments, to: string, session: CommandSession): Promise<ExitCode> {
  const { flags, options } = args
  if (flags.from === undefined)
    throw new UsageError('Input from stdin has no file extension: name its format, for example --from png')
  const knownOptions =
    Object.keys(options).length > 0 ? await fetchOptions(session.client, { from: flags.from, to }) : undefined
  if (knownOptions) requireKnownOptions(Object.keys(options), knownOptions, `${flags.from} → ${to}`)
  const output = flags.out === undefined || flags.out === '-' ? undefined : flags.out
  await convertThroughPipe(session, { from: flags.from, to, options, output })
  return exitCodes.done
}

/** `mutabor merge FILE… [--out both.pdf]`: the file extension of the output is the target format. */
export async function mergeFiles(args: Arguments, session: CommandSession): Promise<ExitCode> {
  const { flags, options, words } = args
  const inputs = await findInputs(words, undefined, async () => () => true)
  const [first] = inputs
  if (!first || inputs.length < 2)
    throw new UsageError('A merge needs at least two files, for example: mutabor merge a.pdf b.pdf')
  const kind = await findMergeType(getExtension(first.path), session)
  const output = flags.out === undefined ? undefined : resolve(flags.out)
  const to = flags.to ?? (output === undefined ? undefined : getExtension(output))
  const knownOptions = await fetchOptions(session.client, {
    from: getExtension(first.path),
    operation: 'merge',
  })
  if (knownOptions) requireKnownOptions(Object.keys(options), knownOptions, 'A merge')
  const item: WorkItem = {
    sources: inputs.map(toSnapshot),
    label: inputs.map(({ typedPath }) => typedPath).join(' + '),
    options,
    output,
    request: { kind: 'merge', to, mergeType: kind },
    folder: first.folder,
    expectedPath: output ?? join(first.folder, `merged.${to ?? getExtension(first.path)}`),
  }
  return runWorkItems([item], session, openRecords(session), {
    force: flags.force === true,
    maxConcurrent: 1,
  })
}

/** Finds the merge type; undefined for PDFs and documents, which are merged without a merge type. */
async function findMergeType(extension: string, { client }: CommandSession): Promise<string | undefined> {
  const format = (await client.formats()).find(({ extensions }) => extensions.includes(extension))
  const category = format?.category
  return category === 'video' || category === 'audio' || category === 'image' ? category : undefined
}

/** `mutabor tool split-pdf FILE… --pages 1-5`: runs a tool. */
export async function runToolCommand(args: Arguments, session: CommandSession): Promise<ExitCode> {
  const { flags, options } = args
  const [tool, ...files] = args.words
  if (tool === undefined || files.length === 0)
    throw new UsageError('Name a tool and a file, for example: mutabor tool split-pdf report.pdf --pages 1-5')
  const inputs = await findInputs(
    files,
    isFolder(flags.out) ? flags.out : undefined,
    async () => (extension) => extension === 'pdf',
  )
  requireSingleOutput(inputs, flags.out)
  const knownOptions = await fetchOptions(session.client, { operation: tool })
  if (knownOptions) requireKnownOptions(Object.keys(options), knownOptions, tool)
  const names = new OutputNames()
  const output = flags.out !== undefined && !isFolder(flags.out) ? resolve(flags.out) : undefined
  const items = inputs.map((input): WorkItem => {
    // Without `--out`, the result is saved beside its source, so it needs a different name.
    const outputBesideSource = join(
      input.folder,
      `${basename(input.path, '.pdf')}.${tool.replace('-pdf', '')}.pdf`,
    )
    return {
      sources: [toSnapshot(input)],
      label: input.typedPath,
      request: { kind: 'tool', tool },
      options,
      output: output ?? (isFolder(flags.out) ? names.next(input, 'pdf') : outputBesideSource),
      folder: input.folder,
      expectedPath: undefined,
    }
  })
  return runWorkItems(items, session, openRecords(session), {
    force: flags.force === true,
    maxConcurrent: parseConcurrency(args),
  })
}
