// Runs the parsers of clients' files on inputs, in a thread that decoders.ts can end.
import '../../lib/decoders/unhandled-rejections.ts'
import { parentPort, workerData } from 'node:worker_threads'
import { runMethod } from '../../lib/decoders/methods.ts'
import { AppError } from '../../lib/errors.ts'
import { getContentReader } from '../../lib/fidelity/content-formats.ts'
import { SummaryMessage } from '../../lib/fidelity/content-summary.ts'
import { CountingStoppedError } from '../../lib/fidelity/read-errors.ts'
import type { SummaryRequest } from '../../lib/fidelity/summarize.ts'
import type { ByteSource } from '../../lib/formats/detect/byte-source.ts'
import { type FormatId, formats, isFormatId } from '../../lib/formats/index.ts'
import { createInput, loadSamples, type Sample } from './decoder-inputs.ts'

export interface ThreadData {
  readonly seed: string
  readonly from: number
  readonly to: number
  /** Number of the input that is being parsed. */
  readonly current: Int32Array<SharedArrayBuffer>
}

/** An input that made a parser throw an error that is not for clients, crash or hang. */
export interface Problem {
  readonly number: number
  readonly name: string
  readonly problem: string
}

const byExtension = new Map<string, FormatId>(
  formats.flatMap(({ id, extensions }) => extensions.map((extension) => [extension, id] as const)),
)

function createSource({ name, bytes }: Sample): ByteSource {
  const read = async (start: number, end: number) => {
    if (start < 0 || end < start || end > bytes.length)
      throw new Error(`read ${start} to ${end} of ${bytes.length}`)
    return bytes.subarray(start, end)
  }
  return { filename: name, size: bytes.length, read }
}

/** Returns undefined if the action succeeds, or fails with an error that a client may see. */
async function findProblem(action: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await action()
    return undefined
  } catch (error) {
    if (error instanceof AppError || error instanceof CountingStoppedError) return undefined
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}

async function findProblems(input: Sample): Promise<string[]> {
  const source = createSource(input)
  const extension = input.name.slice(input.name.lastIndexOf('.') + 1).toLowerCase()
  const foundFormats = new Set<FormatId | undefined>([byExtension.get(extension)])
  const detection = findProblem(async () => {
    const { format } = (await runMethod(source, { method: 'detectFormat', params: { hint: {} } })) as {
      format: string
    }
    if (!isFormatId(format)) throw new Error(`unknown format ${format}`)
    foundFormats.add(format)
  })
  const problems = [await detection]
  for (const format of foundFormats) {
    if (format === undefined) continue
    const reader = getContentReader(format)
    const params: SummaryRequest = reader
      ? { kind: 'content', reader, isResult: input.bytes.length % 2 === 0 }
      : { kind: 'headers', format }
    problems.push(
      await findProblem(async () => {
        const value = await runMethod(source, { method: 'summarize', params })
        if (value !== null) SummaryMessage.parse(JSON.parse(JSON.stringify(value)))
      }),
    )
  }
  return problems.filter((problem) => problem !== undefined)
}

const { seed, from, to, current } = workerData as ThreadData // created by decoders.ts
const samples = loadSamples()
for (let number = from; number < to; number++) {
  Atomics.store(current, 0, number)
  const input = await createInput(samples, seed, number)
  for (const problem of await findProblems(input))
    parentPort?.postMessage({ number, name: input.name, problem } satisfies Problem)
}
