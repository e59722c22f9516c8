import type { CommandId } from './commands.ts'

/** The action of each key in the page grid. */

type KeyAction =
  | { readonly kind: 'command'; readonly id: CommandId }
  | { readonly kind: 'focus'; readonly to: number; readonly extendsSelection: boolean }
  | { readonly kind: 'toggle' | 'all' | 'none' }

const commandKeys: Readonly<Record<string, CommandId>> = {
  r: 'rotateRight',
  l: 'rotateLeft',
  s: 'split',
  delete: 'remove',
  backspace: 'remove',
}

const otherKeys: Readonly<Record<string, 'toggle' | 'none'>> = {
  ' ': 'toggle',
  enter: 'toggle',
  escape: 'none',
}

interface FocusPosition {
  /** Index of the focused page, from 0. */
  readonly index: number
  readonly count: number
  readonly columns: number
  readonly isRightToLeft: boolean
}

export function findKeyAction(
  { key: pressedKey, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent,
  position: FocusPosition,
): KeyAction | undefined {
  const key = pressedKey.toLowerCase()
  const step = findStep(key, position)
  if (altKey)
    return step === undefined ? undefined : { kind: 'command', id: step < 0 ? 'moveBack' : 'moveForward' }
  if (ctrlKey || metaKey) return key === 'a' ? { kind: 'all' } : undefined
  const to = findTargetIndex(key, step, position)
  if (to !== undefined) return { kind: 'focus', to, extendsSelection: shiftKey }
  const [id, kind] = [commandKeys[key], otherKeys[key]]
  if (id) return { kind: 'command', id }
  return kind && { kind }
}

function findTargetIndex(
  key: string,
  step: number | undefined,
  { index, count }: FocusPosition,
): number | undefined {
  if (key === 'home') return 0
  if (key === 'end') return count - 1
  return step === undefined ? undefined : Math.min(count - 1, Math.max(0, index + step))
}

function findStep(key: string, { columns, isRightToLeft }: FocusPosition): number | undefined {
  const forwardStep = isRightToLeft ? -1 : 1
  const steps: Readonly<Record<string, number>> = {
    arrowright: forwardStep,
    arrowleft: -forwardStep,
    arrowdown: columns,
    arrowup: -columns,
  }
  return steps[key]
}
