import type { FormatId } from '../../../formats/index.ts'
import type { Capability } from '../../engine.ts'
import { encodingOption } from './charsets.ts'
import { tableOptionShape } from './table-options.ts'

const tableFormats: readonly FormatId[] = ['csv', 'tsv']

/** Adds options for reading text and tables to a capability, split into one row per kind of source. */
export const withTextOptions =
  (textFormats: readonly FormatId[]) =>
  (row: Capability): Capability[] => {
    const getFormatKind = (id: FormatId) =>
      !textFormats.includes(id) ? 'other' : tableFormats.includes(id) ? 'table' : 'text'
    return [...Map.groupBy(row.from, getFormatKind)].map(([kind, from]) => ({
      ...row,
      from,
      options: row.options.extend(
        { other: {}, table: tableOptionShape, text: { encoding: encodingOption } }[kind],
      ),
    }))
  }
