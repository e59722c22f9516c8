import * as z from 'zod'

/**
 * Names a schema, so that the API documents refer to it by that name wherever it occurs. Has the effect of `meta({ id
 * })`, but does not copy the schema, because the copies would slow down every cold start.
 */
export function component<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  z.globalRegistry.add(schema, { ...schema.meta(), id })
  return schema
}

/**
 * The metadata of all schemas without their names, so that a JSON Schema made with it contains no references. It does
 * not extend zod's class, which would add all of zod to the packages of functions.
 */
export const unnamedMetadata = Object.assign(z.registry<z.core.GlobalMeta>(), {
  get(schema: z.core.$ZodType) {
    const { id: _, ...metadata } = z.globalRegistry.get(schema) ?? {}
    return metadata
  },
})
