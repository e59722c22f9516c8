// The files of a merge, as ffprobe sees them.
import type { Tools, Work } from '../engine.ts'
import { inputGuard } from './inputs.ts'
import { playable } from './playable.ts'
import { type Media, probeWhole } from './probe.ts'

export interface Part {
  readonly path: string
  /** Of `inputGuard`. */
  readonly guard: readonly string[]
  readonly media: Media
}

/** @throws AppError CORRUPT_FILE. */
export async function partsOf({ inputs: files }: Work, tools: Tools): Promise<Part[]> {
  const parts: Part[] = []
  for (const file of files) {
    const { path, from: format } = await playable(file.path, file.format, tools)
    parts.push({ path, guard: inputGuard(format), media: await probeWhole(path, format, tools) })
  }
  return parts
}
