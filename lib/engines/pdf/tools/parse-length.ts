import { lengthPattern } from './options.ts'

/** Points per unit. */
const pointsPerUnit: Readonly<Record<string, number>> = { pt: 1, in: 72, cm: 72 / 2.54, mm: 7.2 / 2.54 }

/** Converts a length such as `20mm`, or a bare number of points, to points; the schema has validated it. */
export function parsePoints(length: string): number {
  const [, number, unit = 'pt'] = lengthPattern.exec(length.trim()) ?? []
  return Number(number) * (pointsPerUnit[unit.toLowerCase()] ?? 1)
}
