import { type Option, optionsOf, Problem, type Wish } from '../../api.ts'
import type { Item } from './item.ts'
import type { Values } from './remembered.ts'
import words from './words/en.ts'

/** What is asked of the service for a file: the fields of its options as they mean it. */

const loaded = new Map<string, Promise<readonly Option[]>>()

/** Most files of a page are of few kinds: each pair is asked for once. */
export function loadOptions(from: string, to: string, tool: string | undefined): Promise<readonly Option[]> {
  const key = `${from} ${to} ${tool ?? ''}`
  const options = loaded.get(key) ?? shownOptions(from, to, tool)
  loaded.set(key, options)
  options.catch(() => loaded.delete(key))
  return options
}

/** What has another name by now is for programs that know the old one. The words of a language for them are more than a first visit may cost. */
async function shownOptions(from: string, to: string, tool: string | undefined): Promise<readonly Option[]> {
  const [{ said }, all] = await Promise.all([import('../../options/said.ts'), optionsOf(from, to, tool)])
  return all.filter(({ deprecated, name }) => !deprecated && name !== 'pdfEngine').map(said)
}

/** Fields of the pair whose value is not the default. */
export function chosen(options: readonly Option[], values: Values): Record<string, unknown> {
  const given = options.flatMap((option) => {
    const value = meant(option, values[option.name])
    return value === undefined || value === option.default ? [] : [[option.name, value] as const]
  })
  return Object.fromEntries(given)
}

function meant(option: Option, raw: string | boolean | undefined): unknown {
  if (raw === undefined || raw === '') return undefined
  if (typeof raw === 'boolean') return raw
  if (option.type === 'boolean') return raw === 'true'
  const isNumber = option.type === 'number' || option.type === 'integer'
  const number = Number(raw)
  if ((isNumber || (option.number && !option.enum?.includes(raw))) && !Number.isNaN(number)) return number
  return raw
}

/** By field; empty when all can be sent. */
export function faultsIn(options: readonly Option[], values: Values): Record<string, string> {
  const faults = options.flatMap((option) => {
    const fault = faultOf(option, values[option.name])
    return fault ? [[option.name, fault] as const] : []
  })
  return Object.fromEntries(faults)
}

function faultOf(option: Option, raw: string | boolean | undefined): string | undefined {
  if (raw === undefined || raw === '' || typeof raw === 'boolean' || option.enum?.includes(raw))
    return undefined
  const bounds = option.number ?? (option.type === 'number' || option.type === 'integer' ? option : undefined)
  if (bounds && !option.spelled) return faultOfNumber(Number(raw), bounds)
  if (option.pattern && option.type === 'string' && !new RegExp(`^(?:${option.pattern})$`, 'u').test(raw))
    return words.notAsExpected
  return undefined
}

function faultOfNumber(
  value: number,
  { min, max, type }: { min?: number | undefined; max?: number | undefined; type: string },
): string | undefined {
  if (Number.isNaN(value)) return words.aNumber
  if (type === 'integer' && !Number.isInteger(value)) return words.whole
  const isOutside = value < (min ?? value) || value > (max ?? value)
  if (!isOutside) return undefined
  if (min !== undefined && max !== undefined) return words.between(min, max)
  return min !== undefined ? words.atLeast(min) : words.atMost(max ?? value)
}

/** @throws Problem where nothing is chosen */
export function wishOf(item: Item): Wish {
  const target = item.target.value
  const tool = item.tool.value
  if (!target && !tool) throw new Problem('NO_TARGET', words.chooseFirst)
  return {
    ...(target && { targetFormat: target.id }),
    ...(tool && { toolOperation: tool }),
    options: chosen(item.options.value ?? [], item.values.value),
  }
}

/** The field of the form that a refusal is about: `options.start` and `start` mean the same. */
export function fieldOf({ field }: Problem, options: readonly Option[]): string | undefined {
  const name = field?.replace(/^options[./]/, '').split(/[.[]/)[0]
  return options.some((option) => option.name === name) ? name : undefined
}
