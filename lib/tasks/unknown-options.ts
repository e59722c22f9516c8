import type { Engine } from '../engines/engine.ts'
import { toCamelCase, toSnakeCase } from '../names/case-conversion.ts'
import { isPdfEngine } from '../plan/pdf-engine.ts'
import type { TaskOperation } from './operation.ts'

/** Cache of the names of all options, by the list of engines that support them. */
const namesByEngines = new WeakMap<readonly Engine[], ReadonlySet<string>>()

function listOptionNames(engines: readonly Engine[]): ReadonlySet<string> {
  const cachedNames = namesByEngines.get(engines)
  if (cachedNames) return cachedNames
  const names = new Set(
    engines.flatMap(({ capabilities }) => capabilities.flatMap(({ options }) => Object.keys(options.shape))),
  )
  namesByEngines.set(engines, names)
  return names
}

/**
 * Sets unknown fields, which neither the operation nor any engine supports, to null before anything is stored. Such a
 * field may be a password with a misspelled name, which would be stored unsealed. Warnings only need the names.
 */
export function clearUnknownFields(
  fields: Readonly<Record<string, unknown>>,
  { fields: { shape } }: Pick<TaskOperation, 'fields'>,
  engines: readonly Engine[],
): Record<string, unknown> {
  const options = listOptionNames(engines)
  const isKnown = (name: string) =>
    options.has(name) ||
    options.has(toCamelCase(name)) ||
    Object.hasOwn(shape, toSnakeCase(name)) ||
    isPdfEngine(name)
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, isKnown(name) ? value : null]),
  )
}
