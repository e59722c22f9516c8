import * as z from 'zod'

/**
 * Names a schema, so that the API documents refer to it by that name wherever it occurs. Does the same as
 * `meta({ id })` without copying the schema, which every cold start would pay for.
 */
export function component<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  z.globalRegistry.add(schema, { ...schema.meta(), id })
  return schema
}

/** The metadata of all schemas without their names: a JSON Schema made with it contains no references. */
class UnnamedMetadata extends z.core.$ZodRegistry<z.core.GlobalMeta> {
  override get<Schema extends z.core.$ZodType>(schema: Schema) {
    const { id: _, ...metadata } = z.globalRegistry.get(schema) ?? {}
    return metadata as ReturnType<z.core.$ZodRegistry<z.core.GlobalMeta>['get']> // the same type, where all is optional
  }
}

export const unnamedMetadata = new UnnamedMetadata()
