import type { WorkerPool } from '../engine.ts'
import { matches } from './concat-compatible.ts'
import type { Container } from './containers.ts'
import { codecsOf, type Run } from './merge-encode.ts'
import type { Part } from './merge-inputs.ts'
import type { MergeVideoOptions } from './options.ts'
import { hasAlpha, type Media } from './probe.ts'
import { encodingS } from './video-encode-time.ts'
import { sizeFor } from './video-filters.ts'
import { lengthOfPiece, type Place, workOfPiece } from './video-segments.ts'

/** How a merge of films is cut, and where the pieces come to lie. Pure. */

/** Seconds in a piece of each film; undefined where the merge is copied, ends in time or cannot be cut. */
export function pieceLengths(
  parts: readonly Pick<Part, 'media'>[],
  { container, options }: { readonly container: Container; readonly options: MergeVideoOptions },
  crew: WorkerPool,
): number[] | undefined {
  if (options.mode !== 'encode' && matches(parts, container)) return undefined
  const films = parts.map(({ media }) => filmOf(media, parts[0]?.media, container, options))
  if (!films.every((film) => film !== undefined)) return undefined
  const takesS = films.reduce((sum, film) => sum + film.takesS, 0)
  const workS = workOfPiece(takesS, crew)
  return workS === undefined ? undefined : films.map((film) => lengthOfPiece(film, workS))
}

/** How long a film is and how long its pictures take, about. */
function filmOf(
  { video, durationS }: Media,
  first: Media | undefined,
  container: Container,
  options: MergeVideoOptions,
): { durationS: number; takesS: number } | undefined {
  if (!video || !first?.video || durationS === undefined || hasAlpha(video)) return undefined
  const film = { video, durationS, size: sizeFor(first.video, { mode: 'encode' }) }
  const takesS = encodingS(film, codecsOf(container).picture, options)
  return takesS === undefined ? undefined : { durationS, takesS }
}

/** As the filter counts that brings all films to one rate; what lies between two pictures is told in microseconds. */
const numberAt = (seconds: number, perSecond: number) => Math.round(seconds * perSecond + 1e-4)

/** Pictures of what lies there in a film. */
export function runOf({ startS, endS }: Place, perSecond: number): Run {
  const first = numberAt(startS, perSecond)
  return { first, count: numberAt(endS, perSecond) - first }
}

/** A piece of one of the films. */
export interface MergePiece extends Run {
  readonly film: number
}

/**
 * Where the pieces lie in the result.
 * @param films pictures of each.
 * @param beginS when the pictures of each film begin in the sound; without sound a film ends with its pictures.
 */
export function placesOf(
  pieces: readonly MergePiece[],
  films: readonly Run[],
  { beginS, perSecond }: { readonly beginS: readonly number[] | undefined; readonly perSecond: number },
): Place[] {
  let end = 0
  const begins = films.map(({ first, count }, film) => {
    const begin = beginS ? Math.round((beginS[film] ?? 0) * perSecond) : end + first
    end = begin + count
    return begin
  })
  const numbers = pieces.map(({ film, first }) => (begins[film] ?? 0) + first - (films[film]?.first ?? 0))
  return numbers.map((number, index) => ({
    startS: number / perSecond,
    endS: (numbers[index + 1] ?? end) / perSecond,
  }))
}
