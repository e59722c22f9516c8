import { Block, type Column, Copyable, Table } from '../../ui/components.tsx'
import {
  type ApiSchema,
  buildCurl,
  describeType,
  formatJsonExample,
  type OpenApi,
  type OperationEntry,
  resolveRef,
} from './openapi.ts'
import { Prose, renderInline } from './prose.tsx'
import words from './words/en.ts'

interface Row {
  readonly name: string
  readonly where: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

export function OperationView({
  entry,
  document,
}: {
  readonly entry: OperationEntry
  readonly document: OpenApi
}) {
  const { method, path, summary, description, parameters = [], requestBody, responses } = entry
  const parameterRows: Row[] = parameters.map((parameter) => ({
    name: parameter.name,
    where: words.locations[parameter.in] ?? parameter.in,
    isRequired: parameter.required === true,
    type: describeType(parameter.schema ?? {}, document),
    description: parameter.description ?? '',
  }))
  const bodies = Object.entries(requestBody?.content ?? {})
  const [, body] = bodies[0] ?? []
  const fields = body?.schema ? listFieldRows(body.schema, document) : []
  const successResponse = Object.entries(responses).find(([status]) => status.startsWith('2'))
  const reply = successResponse && Object.values(successResponse[1].content ?? {})[0]?.schema
  const example = successResponse && formatJsonExample(successResponse[1].content)
  return (
    <>
      <h2 lang="en">{summary}</h2>
      <p>
        <code>
          {method} {path}
        </code>
      </p>
      {description && <Prose text={description} />}
      <p class="meta">{describeAccess(entry)}</p>
      <Block title={words.command}>
        <Copyable label={words.command} text={buildCurl(entry, location.origin)} />
      </Block>
      {parameterRows.length > 0 && <Rows title={words.parameters} rows={parameterRows} />}
      {fields.length > 0 && (
        <>
          <Rows title={words.requestBody} rows={fields} />
          <p class="meta">{bodies.map(([type]) => type).join(', ')}</p>
        </>
      )}
      {reply && (
        <Rows title={words.response} rows={listFieldRows(getEnvelopeData(reply, document), document)} />
      )}
      {example !== undefined && (
        <details>
          <summary>{words.example}</summary>
          <pre class="terminal" dir="ltr">
            <code>{example}</code>
          </pre>
        </details>
      )}
      <Block title={words.statusCodes}>
        <Table
          caption={words.statusCodes}
          columns={responseColumns}
          rows={Object.entries(responses)}
          getKey={([status]) => status}
          emptyText="–"
        />
      </Block>
    </>
  )
}

/** Returns the schema of `data` in the reply envelope. */
function getEnvelopeData(schema: ApiSchema, document: OpenApi): ApiSchema {
  const fieldSchema = resolveRef(schema, document)
  return fieldSchema.properties?.['data'] ?? fieldSchema
}

const maxDepth = 2

/** Returns rows for all fields; nested fields are named by their full path. */
function listFieldRows(schemaOrRef: ApiSchema, document: OpenApi, parentPath = '', depth = 0): Row[] {
  const schema = resolveRef(schemaOrRef, document)
  const variants = [schema, ...(schema.allOf ?? []), ...(schema.anyOf ?? schema.oneOf ?? [])]
  return variants.flatMap((form) => {
    const { properties = {}, required = [] } = resolveRef(form, document)
    return Object.entries(properties).flatMap(([name, field]) => {
      const fieldSchema = resolveRef(field, document)
      const innerSchema = fieldSchema.items ? resolveRef(fieldSchema.items, document) : fieldSchema
      const path = `${parentPath}${name}${fieldSchema.items ? '[]' : ''}`
      const row: Row = {
        name: path,
        where: '',
        isRequired: required.includes(name),
        type: describeType(field, document),
        description: field.description ?? fieldSchema.description ?? '',
      }
      return [
        row,
        ...(depth < maxDepth && innerSchema.properties
          ? listFieldRows(innerSchema, document, `${path}.`, depth + 1)
          : []),
      ]
    })
  })
}

const Rows = (props: { readonly title: string; readonly rows: readonly Row[] }) => (
  <Block title={props.title}>
    <Table
      caption={props.title}
      columns={rowColumns}
      rows={props.rows}
      getKey={({ name, where, type }) => `${name} ${where} ${type}`}
      emptyText={words.nothing}
    />
  </Block>
)

const rowColumns: readonly Column<Row>[] = [
  {
    name: words.field,
    cell: ({ name, where, isRequired }) => (
      <>
        <code>{name}</code>
        <span class="hint"> {[where, isRequired ? words.required : ''].filter(Boolean).join(', ')}</span>
      </>
    ),
  },
  { name: words.type, cell: ({ type }) => <span class="type">{type}</span> },
  { name: words.meaning, cell: ({ description }) => <span lang="en">{renderInline(description)}</span> },
]

const responseColumns: readonly Column<readonly [string, { readonly description: string }]>[] = [
  { name: words.status, cell: ([status]) => status },
  { name: words.meaning, cell: ([, { description }]) => <span lang="en">{renderInline(description)}</span> },
]

function describeAccess({ security = [], 'x-scopes': scopes = [] }: OperationEntry): string {
  const isPublic = security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0)
  if (isPublic && scopes.length === 0) return words.open
  return isPublic ? words.openOr(scopes.join(', ')) : words.needs(scopes.join(', ') || words.authentication)
}
