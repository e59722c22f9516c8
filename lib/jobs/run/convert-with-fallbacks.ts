import { link, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { InputFile } from '../../engines/engine.ts'
import type { InputPlan } from '../job.ts'
import { convertFiles, type FilesDone, type FilesRun } from './run-steps.ts'
import { afterFailure, type FindWay, waysOf } from './fallbacks.ts'

/** The way of a piece that led to its end, and what it made. */
export interface DoneByWay extends FilesDone {
  readonly piece: InputPlan
}

/**
 * Takes files of this machine one way after the other, as workers do with those of a piece, but all by itself and
 * whatever the images are. What a way falls short of is not looked at.
 */
export async function convertByWays(
  given: InputPlan,
  run: Omit<FilesRun, 'steps' | 'from' | 'onStep' | 'image'>,
  findWay: FindWay,
): Promise<DoneByWay> {
  let piece = given
  for (;;) {
    const way = waysOf(piece)
    const { workDir, inputs } = way === 0 ? run : await moved(run, `way-${way + 1}`)
    let step = 0
    const onStep = (at: number) => {
      step = at
    }
    try {
      const done = await convertFiles({ ...run, workDir, inputs, steps: piece.steps, from: 0, onStep })
      return { ...done, piece }
    } catch (error) {
      run.signal.throwIfAborted()
      const turn = afterFailure(piece, { error, step, percent: 0, isLastAttempt: true }, findWay)
      if ('made' in turn) throw error
      piece = turn.piece
    }
  }
}

/** Engines see what is in their folder only. */
async function moved(run: { readonly workDir: string; readonly inputs: readonly InputFile[] }, name: string) {
  const workDir = join(run.workDir, name)
  await mkdir(workDir)
  const inputs = run.inputs.map((input) => ({ ...input, path: join(workDir, basename(input.path)) }))
  for (const [at, { path }] of run.inputs.entries()) await link(path, inputs[at]?.path ?? path)
  return { workDir, inputs }
}
