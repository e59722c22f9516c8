// Probes the files of a merge.
import type { FormatId } from '../../formats/index.ts'
import type { EngineWork, Tools } from '../engine.ts'
import { createDemuxerArgs } from './demuxers.ts'
import { predecodeAudio } from './predecode-audio.ts'
import { type MediaInfo, probeCached } from './probe.ts'

export interface MergeInput {
  readonly path: string
  readonly format: FormatId
  /** Result of `createDemuxerArgs`. */
  readonly demuxerArgs: readonly string[]
  readonly media: MediaInfo
}

/** @throws AppError CORRUPT_FILE. */
export async function probeMergeInputs({ inputs: files }: EngineWork, tools: Tools): Promise<MergeInput[]> {
  const mergeInputs: MergeInput[] = []
  for (const file of files) {
    const { path, from: format } = await predecodeAudio(file.path, file.format, tools)
    mergeInputs.push({
      path,
      format,
      demuxerArgs: createDemuxerArgs(format),
      media: await probeCached(file, { path, from: format }, tools),
    })
  }
  return mergeInputs
}
