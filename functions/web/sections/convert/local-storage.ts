import type { Values } from '../../options/option-values.ts'

/** Settings stored in this browser. If the browser denies storage, nothing is stored. */

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
    // Storage is denied or full, so the next file starts with the defaults.
  }
}

/** Returns the target that the user last chose for a source format. */
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

/** Returns the options last used for a pair of formats or for a tool. */
export const loadLastOptions = (pair: string) => (readJson(`options of ${pair}`) ?? {}) as Values // written by this page
export const saveLastOptions = (pair: string, values: Values) =>
  write(`options of ${pair}`, JSON.stringify(values))

interface Preset {
  readonly name: string
  readonly values: Values
}

export function loadPresets(target: string): readonly Preset[] {
  const storedPresets = readJson(`presets of ${target}`)
  return Array.isArray(storedPresets) ? (storedPresets as Preset[]) : [] // only this page writes the entry
}

export const savePresets = (target: string, presets: readonly Preset[]) =>
  write(`presets of ${target}`, JSON.stringify(presets))
