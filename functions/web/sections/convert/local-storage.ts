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

const readJson = (key: string): unknown => {
  try {
    return JSON.parse(read(key) ?? 'null')
  } catch {
    return null
  }
}

/** Options last used for a pair of formats, or for a tool. */
export const loadLastOptions = (pair: string) => (readJson(`options of ${pair}`) ?? {}) as Values // only written by this page
export const saveLastOptions = (pair: string, values: Values) =>
  write(`options of ${pair}`, JSON.stringify(values))

interface Preset {
  readonly name: string
  readonly values: Values
}

export function loadPresets(target: string): readonly Preset[] {
  const storedPresets = readJson(`presets of ${target}`)
  return Array.isArray(storedPresets) ? (storedPresets as Preset[]) : [] // only written by this page
}

export const savePresets = (target: string, presets: readonly Preset[]) =>
  write(`presets of ${target}`, JSON.stringify(presets))
