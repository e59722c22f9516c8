import type { FormatId } from '../../formats/index.ts'
import type { Capability } from '../engine.ts'
import { encoding } from './charsets.ts'
import { tableShape } from './table-options.ts'

const tables: readonly FormatId[] = ['csv', 'tsv']

/** A row of capabilities with what can be said of how its texts are to be read: of each kind of source a row of its own. */
export const readingAny =
  (texts: readonly FormatId[]) =>
  (row: Capability): Capability[] => {
    const kindOf = (id: FormatId) => (!texts.includes(id) ? 'other' : tables.includes(id) ? 'table' : 'text')
    return [...Map.groupBy(row.from, kindOf)].map(([kind, from]) => ({
      ...row,
      from,
      options: row.options.extend({ other: {}, table: tableShape, text: { encoding } }[kind]),
    }))
  }
