/** A number as a sheet keeps it, and how it is shown. */
export interface SheetNumber {
  readonly value: number
  /** ECMA-376, 18.8.30. */
  readonly format: string
}

/** How a table writes its numbers: `1,234.5` or `1.234,5`. */
export type Point = '.' | ','

const plain = /^-?(?:0|[1-9]\d{0,14})$/
const english = /^-?(?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?$/
const german = /^-?(?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$/
/** Thousands in the one, three decimals in the other. */
const either = /^-?[1-9]\d{0,2}[.,]\d{3}$/
const mostDigits = 15

/** What tells that a table means the one and not the other; undefined where its numbers read as both. */
export function pointOf(texts: readonly string[]): Point | undefined {
  const bare = texts.map(withoutSigns).filter((text) => !plain.test(text) && !either.test(text))
  const [point, comma] = [english, german].map((pattern) => bare.some((text) => pattern.test(text)))
  return point === comma ? undefined : point ? '.' : ','
}

/**
 * Only what is a number and nothing else: leading zeros, numbers of telephones, dates and digits beyond those that a sheet
 * keeps stay text.
 */
export function numberOf(text: string, point: Point | undefined): SheetNumber | undefined {
  const [, sign = '', bare = '', percent = ''] = /^([$€£¥]?)([^%]*?)(\s?%|)$/.exec(text.trim()) ?? []
  const number = bare.trim().replace(/^\u2212/, '-')
  if ((number.match(/\d/g)?.length ?? 0) > mostDigits) return undefined
  if (!plain.test(number)) {
    if (point === undefined || !(point === '.' ? english : german).test(number)) return undefined
  }
  const [whole = '', decimals = ''] = number.split(point ?? '.')
  const group = point === ',' ? '.' : ','
  const value = Number(`${whole.replaceAll(group, '')}${decimals === '' ? '' : `.${decimals}`}`)
  const shown = `${whole.includes(group) ? '#,##0' : '0'}${decimals === '' ? '' : `.${'0'.repeat(decimals.length)}`}`
  const isPercent = percent !== ''
  return {
    // As the sheet counts them, a hundred of these are one.
    value: isPercent ? Number((value / 100).toPrecision(mostDigits)) : value,
    format: `${sign === '' ? '' : `"${sign}"`}${shown}${isPercent ? '%' : ''}`,
  }
}

const withoutSigns = (text: string) =>
  text
    .trim()
    .replace(/^[$€£¥]\s?/, '')
    .replace(/\s?[%€]$/, '')
    .replace(/^\u2212/, '-')
