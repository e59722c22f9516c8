type Json = Readonly<Record<string, unknown>>
type Schemas = Readonly<Record<string, Json>>

interface ObjectSchema extends Json {
  readonly properties: Json
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
}

/**
 * The common types: for each name, the schemas whose shared properties become the properties of the common type. Larger
 * types come first.
 */
const commonTypes: Readonly<Record<string, readonly string[]>> = {
  ConversionTask: ['TaskConvert', 'TaskMerge'],
  ProcessTask: ['TaskConvert', 'TaskCompress'],
  S3Access: ['TaskImportS3', 'TaskExportS3'],
  BlobstoreAccess: ['TaskImportBlobstore', 'TaskExportBlobstore'],
  GcsAccess: ['TaskImportGcs', 'TaskExportGcs'],
  SftpAccess: ['TaskImportSftp', 'TaskExportSftp'],
  TargetFields: ['ConversionRequest', 'MergeRequest', 'BatchRequest', 'ConversionCheck'],
  EventFields: ['JobCreatedEvent', 'FileDeletedEvent'],
}

/** Types that other types extend. */
const baseTypes = ['Job', 'Webhook', 'ApiKey', 'OAuthClient', 'Delivery', ...Object.keys(commonTypes)]

/** Adds the common types, and makes each type that has all properties of a base type extend it. */
export function shareProperties(schemas: Schemas): Schemas {
  const commonTypesByName = Object.entries(commonTypes).map(([name, names]) => [
    name,
    intersect(names.map((one) => find(schemas, one))),
  ])
  const all: Schemas = { ...schemas, ...Object.fromEntries(commonTypesByName) }
  return Object.fromEntries(
    Object.entries(all).map(([name, schema]) => {
      if (!isObject(schema)) return [name, schema]
      const base = baseTypes.find((other) => other !== name && includes(schema, find(all, other)))
      return [name, base === undefined ? schema : extend(schema, base, find(all, base))]
    }),
  )
}

const isObject = (schema: Json | undefined): schema is ObjectSchema => schema?.['properties'] !== undefined

function find(schemas: Schemas, name: string): ObjectSchema {
  const schema = schemas[name]
  if (!isObject(schema)) throw new Error(`The API document has no object ${name}`)
  return schema
}

function intersect([first, ...others]: readonly ObjectSchema[]): Json {
  const { description: _, ...schema } = first ?? { properties: {} }
  return pick(schema, (name) => others.every((other) => hasProperty(other, name, schema)))
}

const includes = (schema: ObjectSchema, base: ObjectSchema) =>
  JSON.stringify(schema.additionalProperties) === JSON.stringify(base.additionalProperties) &&
  Object.keys(base.properties).every((name) => hasProperty(schema, name, base))

const extend = (schema: ObjectSchema, name: string, { properties }: ObjectSchema): Json => ({
  ...pick(schema, (property) => !(property in properties)),
  // No index signature is generated here, because the base type has one.
  additionalProperties: false,
  extends: [{ $ref: `#/definitions/${name}` }],
})

const pick = (schema: ObjectSchema, isPicked: (property: string) => boolean): ObjectSchema => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(schema.properties).filter(([name]) => isPicked(name))),
  required: (schema.required ?? []).filter(isPicked),
})

/** Whether a schema has a property with the same definition as in the other schema. */
const hasProperty = (schema: ObjectSchema, name: string, other: ObjectSchema) =>
  serializeProperty(schema, name) === serializeProperty(other, name)

const serializeProperty = ({ properties, required = [] }: ObjectSchema, name: string) =>
  JSON.stringify([properties[name], required.includes(name)])
