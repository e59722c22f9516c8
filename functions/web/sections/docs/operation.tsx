import { Block, type Column, Copyable, Table } from '../../ui/components.tsx'
import { curlOf, type Entry, type OpenApi, resolved, type Schema, shownExample, typeOf } from './openapi.ts'
import { inline, Prose } from './prose.tsx'
import words from './words/en.ts'

interface Row {
  readonly name: string
  readonly where: string
  readonly type: string
  readonly isRequired: boolean
  readonly about: string
}

export function OperationView({ entry, document }: { readonly entry: Entry; readonly document: OpenApi }) {
  const { method, path, summary, description, parameters = [], requestBody, responses } = entry
  const given: Row[] = parameters.map((one) => ({
    ...{ name: one.name, where: words.places[one.in] ?? one.in, isRequired: one.required === true },
    type: typeOf(one.schema ?? {}, document),
    about: one.description ?? '',
  }))
  const bodies = Object.entries(requestBody?.content ?? {})
  const [, body] = bodies[0] ?? []
  const fields = body?.schema ? rowsOf(body.schema, document) : []
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))
  const reply = success && Object.values(success[1].content ?? {})[0]?.schema
  const example = success && shownExample(success[1].content)
  return (
    <>
      <h2>{summary}</h2>
      <p>
        <code>
          {method} {path}
        </code>
      </p>
      {description && <Prose text={description} />}
      <p class="meta">{accessOf(entry)}</p>
      <Block title={words.terminal}>
        <Copyable label={words.terminal} text={curlOf(entry, location.origin)} />
      </Block>
      {given.length > 0 && <Rows title={words.parameters} rows={given} />}
      {fields.length > 0 && (
        <>
          <Rows title={words.body} rows={fields} />
          <p class="meta">{bodies.map(([type]) => type).join(', ')}</p>
        </>
      )}
      {reply && <Rows title={words.reply} rows={rowsOf(dataOf(reply, document), document)} />}
      {example !== undefined && (
        <details>
          <summary>{words.example}</summary>
          <pre class="terminal" dir="ltr">
            <code>{example}</code>
          </pre>
        </details>
      )}
      <Block title={words.answers}>
        <Table
          caption={words.answers}
          columns={answerColumns}
          rows={Object.entries(responses)}
          keyOf={([status]) => status}
          empty="–"
        />
      </Block>
    </>
  )
}

/** What the envelope holds. */
function dataOf(schema: Schema, document: OpenApi): Schema {
  const whole = resolved(schema, document)
  return whole.properties?.['data'] ?? whole
}

const deepest = 2

/** Fields, those of objects and lists within them by their whole name. */
function rowsOf(given: Schema, document: OpenApi, before = '', depth = 0): Row[] {
  const schema = resolved(given, document)
  const forms = [schema, ...(schema.allOf ?? []), ...(schema.anyOf ?? schema.oneOf ?? [])]
  return forms.flatMap((form) => {
    const { properties = {}, required = [] } = resolved(form, document)
    return Object.entries(properties).flatMap(([name, field]) => {
      const whole = resolved(field, document)
      const inner = whole.items ? resolved(whole.items, document) : whole
      const path = `${before}${name}${whole.items ? '[]' : ''}`
      const row: Row = {
        ...{ name: path, where: '', isRequired: required.includes(name) },
        type: typeOf(field, document),
        about: field.description ?? whole.description ?? '',
      }
      return [
        row,
        ...(depth < deepest && inner.properties ? rowsOf(inner, document, `${path}.`, depth + 1) : []),
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
      keyOf={({ name, where, type }) => `${name} ${where} ${type}`}
      empty={words.nothing}
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
  { name: words.meaning, cell: ({ about }) => inline(about) },
]

const answerColumns: readonly Column<readonly [string, { readonly description: string }]>[] = [
  { name: words.status, cell: ([status]) => status },
  { name: words.meaning, cell: ([, { description }]) => inline(description) },
]

function accessOf({ security = [] }: Entry): string {
  const scopes = [...new Set(security.flatMap((way) => Object.values(way).flat()))]
  const isOpen = security.length === 0 || security.some((way) => Object.keys(way).length === 0)
  if (isOpen && scopes.length === 0) return words.open
  return isOpen ? words.openOr(scopes.join(', ')) : words.needs(scopes.join(', ') || words.anIdentity)
}
