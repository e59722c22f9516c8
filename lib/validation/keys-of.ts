/** Returns the keys of a constant table with their literal types, which `Object.keys` widens to `string`. */
export const keysOf = <Table extends object>(table: Table) => Object.keys(table) as (keyof Table & string)[] // it has no other keys
