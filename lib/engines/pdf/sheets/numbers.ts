/** A number and its cell format. */
export interface SheetNumber {
  readonly value: number
  /** Number format code (ECMA-376, 18.8.30). */
  readonly format: string
}

/** The decimal separator of a table: `1,234.5` or `1.234,5`. */
type DecimalSeparator = '.' | ','

const integerPattern = /^-?(?:0|[1-9]\d{0,14})$/
const pointPattern = /^-?(?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?$/
const commaPattern = /^-?(?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$/
/** Numbers with three digits after the only separator: thousands in one notation, decimals in the other. */
const ambiguousPattern = /^-?[1-9]\d{0,2}[.,]\d{3}$/
const maxDigits = 15

/** Returns the decimal separator that the numbers of a table prove, or undefined when they fit both notations. */
export function findDecimalSeparator(texts: readonly string[]): DecimalSeparator | undefined {
  const numbersWithoutSymbols = texts
    .map(stripSymbols)
    .filter((text) => !integerPattern.test(text) && !ambiguousPattern.test(text))
  const [point, comma] = [pointPattern, commaPattern].map((pattern) =>
    numbersWithoutSymbols.some((text) => pattern.test(text)),
  )
  return point === comma ? undefined : point ? '.' : ','
}

/**
 * Parses text that is a number and nothing else: values with leading zeros, phone numbers, dates and numbers with more
 * digits than a spreadsheet stores remain text.
 */
export function parseSheetNumber(
  text: string,
  separator: DecimalSeparator | undefined,
): SheetNumber | undefined {
  const [, currency = '', textWithoutSymbols = '', percent = ''] =
    /^([$€£¥]?)([^%]*?)(\s?%|)$/.exec(text.trim()) ?? []
  const numberText = textWithoutSymbols.trim().replace(/^\u2212/, '-')
  if ((numberText.match(/\d/g)?.length ?? 0) > maxDigits) return undefined
  if (!integerPattern.test(numberText)) {
    if (separator === undefined || !(separator === '.' ? pointPattern : commaPattern).test(numberText))
      return undefined
  }
  const [wholePart = '', decimals = ''] = numberText.split(separator ?? '.')
  const group = separator === ',' ? '.' : ','
  const value = Number(`${wholePart.replaceAll(group, '')}${decimals === '' ? '' : `.${decimals}`}`)
  const format = `${wholePart.includes(group) ? '#,##0' : '0'}${decimals === '' ? '' : `.${'0'.repeat(decimals.length)}`}`
  const isPercent = percent !== ''
  return {
    // Spreadsheets store 100% as 1.
    value: isPercent ? Number((value / 100).toPrecision(maxDigits)) : value,
    format: `${currency === '' ? '' : `"${currency}"`}${format}${isPercent ? '%' : ''}`,
  }
}

const stripSymbols = (text: string) =>
  text
    .trim()
    .replace(/^[$€£¥]\s?/, '')
    .replace(/\s?[%€]$/, '')
    .replace(/^\u2212/, '-')
