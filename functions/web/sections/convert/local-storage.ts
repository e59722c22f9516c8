import type { Values } from '../../options/option-values.ts'

/** Settings stored in this browser. If storage is denied, nothing is stored. */

function read(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Denied or full: the next file starts with the defaults.
  }
}

/** The target last chosen for a file type. */
export const loadPreferredTarget = (source: string | undefined) =>
  source ? read(`target of ${source}`) : undefined
export function rememberTarget(source: string | undefined, target: string): void {
  if (source) write(`target of ${source}`, target)
}

interface Preset {
  readonly name: string
  readonly values: Values
}

export function loadPresets(target: string): readonly Preset[] {
  try {
    const storedPresets: unknown = JSON.parse(read(`presets of ${target}`) ?? '[]')
    return Array.isArray(storedPresets) ? (storedPresets as Preset[]) : [] // only written by this page
  } catch {
    return []
  }
}

export const savePresets = (target: string, presets: readonly Preset[]) =>
  write(`presets of ${target}`, JSON.stringify(presets))
