// The files of a merge, as ffprobe sees them.
import type { FormatId } from '../../formats/index.ts'
import type { EngineWork, Tools } from '../engine.ts'
import { inputGuard } from './demuxers.ts'
import { playable } from './predecode-audio.ts'
import { type Media, probedOnce } from './probe.ts'

export interface Part {
  readonly path: string
  readonly format: FormatId
  /** Of `inputGuard`. */
  readonly guard: readonly string[]
  readonly media: Media
}

/** @throws AppError CORRUPT_FILE. */
export async function partsOf({ inputs: files }: EngineWork, tools: Tools): Promise<Part[]> {
  const parts: Part[] = []
  for (const file of files) {
    const { path, from: format } = await playable(file.path, file.format, tools)
    parts.push({
      path,
      format,
      guard: inputGuard(format),
      media: await probedOnce(file, { path, from: format }, tools),
    })
  }
  return parts
}
