import { useEffect, useMemo } from 'preact/hooks'
import type { checkConversion } from '../../../routes/check-conversion.ts'
import type { listConversions } from '../../../routes/list-conversions.ts'
import { ask, type DataOf, type Format, listFormats, type Option } from '../../api.ts'
import { said } from '../../options/translate-option.ts'
import type { Whereabouts } from '../../shell/router.ts'
import { sectionTitle } from '../../shell/title.ts'
import { Block, Copyable, Page, Shown, Table } from '../../ui/components.tsx'
import { sayMs, sayNumber, sayShare } from '../../ui/format-values.ts'
import { Search, useSearch } from '../../ui/search.tsx'
import { useLoaded } from '../../ui/use-query.ts'
import words from './words/en.ts'

type Conversions = DataOf<typeof listConversions>
type Checked = DataOf<typeof checkConversion>

/** `/formats`, `/formats/png` and `/formats/png-to-webp`. */
export default function Formats({ at }: { readonly at: Whereabouts }) {
  const [from, to] = (at.params['pair'] ?? '').split('-to-')
  const all = useLoaded('formats', listFormats)
  useEffect(() => {
    const name = (id: string) => id.toUpperCase()
    sectionTitle.value = from ? (to ? words.pairTitle(name(from), name(to)) : name(from)) : undefined
  }, [from, to])
  return (
    <Shown of={all}>
      {(formats) => {
        const source = formats.find(({ id }) => id === from)
        const target = formats.find(({ id }) => id === to)
        if (from && !source) return <Page title={words.unknown(from)}>{<Back />}</Page>
        if (source && to && !target) return <Page title={words.unknown(to)}>{<Back />}</Page>
        if (source && target) return <Pair source={source} target={target} />
        if (source) return <OneFormat format={source} />
        return <All formats={formats} query={at.query} />
      }}
    </Shown>
  )
}

const Back = () => (
  <p>
    <a href="/formats">{words.toAll}</a>
  </p>
)

const found = (format: Format, needle: string) =>
  [format.id, format.name, ...format.extensions, ...format.aliases].some((text) =>
    text.toLowerCase().includes(needle),
  )

function All({ formats, query }: { readonly formats: readonly Format[]; readonly query: URLSearchParams }) {
  const { text, search } = useSearch('/formats', query)
  const needle = text.trim().toLowerCase().replace(/^\./, '')
  const shown = useMemo(() => formats.filter((format) => found(format, needle)), [formats, needle])
  return (
    <Page title={words.title} lead={words.lead(sayNumber(formats.length))}>
      <Search label={words.search} text={text} search={search} found={words.found(shown.length)} />
      {Object.entries(words.categories).map(([category, name]) => {
        const some = shown.filter((format) => format.category === category)
        return (
          some.length > 0 && (
            <Block key={category} title={name}>
              <ul class="plain-links">
                {some.map(({ id, name: full }) => (
                  <li key={id}>
                    <a href={`/formats/${id}`} title={full}>
                      {id}
                    </a>
                  </li>
                ))}
              </ul>
            </Block>
          )
        )
      })}
    </Page>
  )
}

function OneFormat({ format }: { readonly format: Format }) {
  const { id, name, extensions, mimeTypes } = format
  const into = useLoaded(`from ${id}`, () =>
    ask<Conversions>(`/v1/formats/conversions?${new URLSearchParams({ from: id })}`),
  )
  const usual = new Set(format.targets)
  return (
    <Page title={`${name} (${id})`} lead={words.categories[format.category]}>
      <dl class="figures">
        <div>
          <dt>{words.extensions}</dt>
          <dd>{extensions.join(' ')}</dd>
        </div>
        <div>
          <dt>{words.mimeTypes}</dt>
          <dd>{mimeTypes[0] ?? '–'}</dd>
        </div>
      </dl>
      <Shown of={into}>
        {({ conversions }) => {
          const pairs = conversions.filter((pair) => pair.to !== id)
          const others = pairs.filter((pair) => !usual.has(pair.to))
          return (
            <>
              <Targets
                title={words.usual}
                from={id}
                targets={format.targets.filter((one) => pairs.some((pair) => pair.to === one))}
              />
              {others.length > 0 && (
                <Targets title={words.others} from={id} targets={others.map(({ to }) => to)} />
              )}
            </>
          )
        }}
      </Shown>
      <Back />
    </Page>
  )
}

const Targets = (props: {
  readonly title: string
  readonly from: string
  readonly targets: readonly string[]
}) => (
  <Block title={props.title}>
    {props.targets.length === 0 && <p class="meta">{words.readOnly}</p>}
    <ul class="plain-links">
      {props.targets.map((to) => (
        <li key={to}>
          <a href={`/formats/${props.from}-to-${to}`}>{to}</a>
        </li>
      ))}
    </ul>
  </Block>
)

function Pair({ source, target }: { readonly source: Format; readonly target: Format }) {
  const [from, to] = [source.id, target.id]
  const pair = useLoaded(`pair ${from} ${to}`, async () => {
    const [{ conversions }, checked] = await Promise.all([
      ask<Conversions>(`/v1/formats/conversions?${new URLSearchParams({ from, to })}`),
      ask<Checked>('/v1/convert/check', { method: 'POST', body: { from, targetFormat: to } }),
    ])
    return { options: (conversions[0]?.options ?? []).map(said), checked }
  })
  const extension = source.extensions[0] ?? from
  return (
    <Page
      title={words.pairTitle(from.toUpperCase(), to.toUpperCase())}
      lead={`${source.name} → ${target.name}`}
    >
      <Shown of={pair}>
        {({ options, checked }) => (
          <>
            <p class="row">
              <a class="button primary" href={`/?to=${to}`}>
                {words.convert}
              </a>
              <a href={`/formats/${from}`}>{words.allOf(from)}</a>
            </p>
            <Block title={words.way}>
              <p>
                {[from, ...checked.steps.map((step) => step.to)].join(' → ')}{' '}
                <span class="meta">({checked.engines.join(', ')})</span>
              </p>
              <p class="meta">
                {checked.estimate.basis === 'recorded'
                  ? words.took(sayMs(checked.estimate.runMs))
                  : words.mayTake(sayMs(checked.estimate.runMs))}
              </p>
            </Block>
            <Block title={words.losses}>
              {checked.losses.length === 0 ? (
                <p>{words.noLosses}</p>
              ) : (
                <ul class="stack">
                  {checked.losses.map(({ what, share, basis }) => (
                    <li key={`${what} ${basis}`}>
                      {words.lost[what] ?? what}
                      {share !== undefined && ` – ${words.keptShare(sayShare(share))}`}
                    </li>
                  ))}
                </ul>
              )}
            </Block>
            <Block title={words.options}>
              <Table
                caption={words.options}
                columns={optionColumns}
                rows={options.filter(({ deprecated }) => !deprecated)}
                keyOf={({ name }) => name}
                empty={words.noOptions}
              />
            </Block>
            <Block title={words.terminal}>
              <Copyable
                label={words.terminal}
                text={`curl -LOJ -H 'Prefer: wait=25' -F file=@file${extension.startsWith('.') ? '' : '.'}${extension} -F targetFormat=${to} '${location.origin}/v1/convert?redirect=true'`}
              />
            </Block>
          </>
        )}
      </Shown>
    </Page>
  )
}

function valuesOf({ enum: values, enumLabels, min, max, unit, type }: Option): string {
  if (values) return values.map((value) => enumLabels?.[value] ?? value).join(', ')
  if (min !== undefined && max !== undefined)
    return `${sayNumber(min)}–${sayNumber(max)}${unit ? ` ${unit}` : ''}`
  return type === 'boolean' ? words.yesNo : words.text
}

const usuallyOf = ({ default: usual, enumLabels }: Option) =>
  usual === undefined ? '–' : (enumLabels?.[String(usual)] ?? String(usual))

const optionColumns = [
  {
    name: words.option,
    cell: ({ label, name }: Option) => (
      <>
        {label} <code class="hint">{name}</code>
      </>
    ),
  },
  { name: words.values, cell: valuesOf },
  { name: words.usually, cell: usuallyOf },
  { name: words.about, cell: ({ description }: Option) => description },
]
