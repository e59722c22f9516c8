import type { Table } from '../../../lib/aws/table.ts'

/** Binds the methods of a proxied table to the table: they read its private fields, which a proxy does not have. */
export const methodBindingHandler: ProxyHandler<Table> = {
  get: (target, name) => {
    const value = Reflect.get(target, name, target)
    return typeof value === 'function' ? value.bind(target) : value
  },
}
