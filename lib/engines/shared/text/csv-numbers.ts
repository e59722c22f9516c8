/** Maximum digits that a spreadsheet number stores exactly (IEEE 754, double precision). */
const maxDigits = 15

/** Matches numbers without leading zeros, plus sign, exponent or thousands separator, which could be meant as text. */
const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
/** Matches dates in ISO 8601, which is unambiguous. */
const datePattern = /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?: ([01]\d|2[0-3]):[0-5]\d:[0-5]\d)?$/
/** First date that counts as a date. Before it, Excel counts a February 29, 1900, which did not exist. */
const firstDate = '1900-03-01'

/**
 * Whether a table field is unambiguously a number or a date, so that a spreadsheet can calculate with it and export it
 * unchanged. Anything else is text: 007, 1E5, 1/2, +49 171, =1+1.
 */
export function isNumberOrDate(field: string): boolean {
  return isNumber(field) || isDate(field)
}

function isNumber(field: string): boolean {
  const nonDigits = (field.startsWith('-') ? 1 : 0) + (field.includes('.') ? 1 : 0)
  return field.length - nonDigits <= maxDigits && field !== '-0' && numberPattern.test(field)
}

function isDate(field: string): boolean {
  if (field.length !== 10 && field.length !== 19) return false
  const [, year, month, day] = datePattern.exec(field) ?? []
  if (year === undefined || field < firstDate) return false
  // JavaScript would turn February 30 into a day in March.
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day)
}
