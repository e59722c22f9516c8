import type { ActId } from './commands.ts'

/** What a key means in the list of pages. */

export type Wish =
  | { readonly kind: 'act'; readonly id: ActId }
  | { readonly kind: 'go'; readonly to: number; readonly isExtending: boolean }
  | { readonly kind: 'toggle' | 'all' | 'none' }

const acts: Readonly<Record<string, ActId>> = {
  ...{ r: 'right', l: 'left', s: 'cut', delete: 'remove', backspace: 'remove' },
}

const others: Readonly<Record<string, 'toggle' | 'none'>> = { ' ': 'toggle', enter: 'toggle', escape: 'none' }

export interface Stand {
  /** Of the page that has the focus, from 0. */
  readonly place: number
  readonly count: number
  readonly columns: number
  readonly isMirrored: boolean
}

export function wishOf(
  { key: given, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent,
  stand: Stand,
): Wish | undefined {
  const key = given.toLowerCase()
  const step = stepOf(key, stand)
  if (altKey) return step === undefined ? undefined : { kind: 'act', id: step < 0 ? 'back' : 'on' }
  if (ctrlKey || metaKey) return key === 'a' ? { kind: 'all' } : undefined
  const to = placeOf(key, step, stand)
  if (to !== undefined) return { kind: 'go', to, isExtending: shiftKey }
  const [id, kind] = [acts[key], others[key]]
  if (id) return { kind: 'act', id }
  return kind && { kind }
}

function placeOf(key: string, step: number | undefined, { place, count }: Stand): number | undefined {
  if (key === 'home') return 0
  if (key === 'end') return count - 1
  return step === undefined ? undefined : Math.min(count - 1, Math.max(0, place + step))
}

function stepOf(key: string, { columns, isMirrored }: Stand): number | undefined {
  const onward = isMirrored ? -1 : 1
  const steps: Readonly<Record<string, number>> = {
    ...{ arrowright: onward, arrowleft: -onward, arrowdown: columns, arrowup: -columns },
  }
  return steps[key]
}
