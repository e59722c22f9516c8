/** Digits that a number of a spreadsheet holds (IEEE 754, double precision). */
const mostDigits = 15

/** No zero before others, no sign but a minus, no exponent, no separator of thousands: all of that may be meant as text. */
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
/** ISO 8601, with which nobody means anything else. */
const date = /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?: ([01]\d|2[0-3]):[0-5]\d:[0-5]\d)?$/
/** Before it Excel counts a day that never was. */
const firstDate = '1900-03-01'

/**
 * Whether a field of a table is surely a number or a date, so that a spreadsheet may count with it and gives it back as
 * it was. All else is text: 007, 1E5, 1/2, +49 171, =1+1.
 */
export function isCountable(field: string): boolean {
  return isNumber(field) || isDate(field)
}

function isNumber(field: string): boolean {
  const signs = (field.startsWith('-') ? 1 : 0) + (field.includes('.') ? 1 : 0)
  return field.length - signs <= mostDigits && field !== '-0' && number.test(field)
}

function isDate(field: string): boolean {
  if (field.length !== 10 && field.length !== 19) return false
  const [, year, month, day] = date.exec(field) ?? []
  if (year === undefined || field < firstDate) return false
  // The 30th of February would be a day in March.
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day)
}
