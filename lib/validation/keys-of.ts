/** The keys of a constant table, with their literal types, which `Object.keys` widens to `string`. */
export const keysOf = <Table extends object>(table: Table) => Object.keys(table) as (keyof Table & string)[] // a constant table has no keys but those of its type
