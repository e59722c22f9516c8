import { useEffect, useMemo } from 'preact/hooks'
import type { checkConversion } from '../../../routes/check-conversion.ts'
import type { listConversions } from '../../../routes/list-conversions.ts'
import { callApi, type Format, listFormats, type Option, type ReplyData } from '../../api.ts'
import { translateOption } from '../../options/translate-option.ts'
import type { PageRoute } from '../../shell/router.ts'
import { sectionTitle } from '../../shell/title.ts'
import { Block, Copyable, Page, QueryView, Table } from '../../ui/components.tsx'
import { listEngines } from '../../ui/engine-names.ts'
import { formatDuration, formatNumber, formatPercent, formatSize } from '../../ui/format-values.ts'
import { Search, useSearch } from '../../ui/search.tsx'
import { useQuery } from '../../ui/use-query.ts'
import words from './words/en.ts'

type Conversions = ReplyData<typeof listConversions>
type CheckResult = ReplyData<typeof checkConversion>

/** The section at `/formats`, `/formats/png` and `/formats/png-to-webp`. */
export default function Formats({ route }: { readonly route: PageRoute }) {
  const [from, to] = (route.params['pair'] ?? '').split('-to-')
  const formatQuery = useQuery('formats', listFormats)
  useEffect(() => {
    const name = (id: string) => id.toUpperCase()
    sectionTitle.value = from ? (to ? words.pairTitle(name(from), name(to)) : name(from)) : undefined
  }, [from, to])
  return (
    <QueryView query={formatQuery}>
      {(formats) => {
        const source = formats.find(({ id }) => id === from)
        const target = formats.find(({ id }) => id === to)
        if (from && !source) return <Page title={words.unknown(from)}>{<BackLink />}</Page>
        if (source && to && !target) return <Page title={words.unknown(to)}>{<BackLink />}</Page>
        if (source && target) return <PairPage source={source} target={target} />
        if (source) return <FormatPage format={source} />
        return <FormatList formats={formats} query={route.query} />
      }}
    </QueryView>
  )
}

const BackLink = () => (
  <p>
    <a href="/formats">{words.toAll}</a>
  </p>
)

const matches = (format: Format, needle: string) =>
  [format.id, format.name, ...format.extensions, ...format.aliases].some((text) =>
    text.toLowerCase().includes(needle),
  )

function FormatList({
  formats,
  query,
}: {
  readonly formats: readonly Format[]
  readonly query: URLSearchParams
}) {
  const { text, search } = useSearch('/formats', query)
  const needle = text.trim().toLowerCase().replace(/^\./, '')
  const matchingFormats = useMemo(
    () => formats.filter((format) => matches(format, needle)),
    [formats, needle],
  )
  return (
    <Page title={words.title} lead={words.lead(formatNumber(formats.length))}>
      <Search
        label={words.search}
        text={text}
        search={search}
        countText={words.found(matchingFormats.length)}
      />
      {Object.entries(words.categories).map(([category, name]) => {
        const categoryFormats = matchingFormats.filter((format) => format.category === category)
        return (
          categoryFormats.length > 0 && (
            <Block key={category} title={name}>
              <ul class="plain-links">
                {categoryFormats.map(({ id, name: fullName }) => (
                  <li key={id}>
                    <a href={`/formats/${id}`} title={fullName}>
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

const maxCommonTargets = 12

function FormatPage({ format }: { readonly format: Format }) {
  const { id, name, extensions, mimeTypes } = format
  const conversionsQuery = useQuery(`from ${id}`, () =>
    callApi<Conversions>(`/v1/formats/conversions?${new URLSearchParams({ from: id })}`),
  )
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
      <QueryView query={conversionsQuery}>
        {({ conversions }) => {
          const targets = conversions.map((pair) => pair.to).filter((to) => to !== id)
          const commonTargets = format.targets.filter((to) => targets.includes(to)).slice(0, maxCommonTargets)
          const otherTargets = targets.filter((to) => !commonTargets.includes(to))
          return (
            <>
              <Targets title={words.commonConversions} from={id} targets={commonTargets} />
              {otherTargets.length > 0 && <Targets title={words.others} from={id} targets={otherTargets} />}
            </>
          )
        }}
      </QueryView>
      <BackLink />
    </Page>
  )
}

const Targets = (props: {
  readonly title: string
  readonly from: string
  readonly targets: readonly string[]
}) => (
  <Block title={props.title}>
    {props.targets.length === 0 && <p class="meta">{words.outputOnly}</p>}
    <ul class="plain-links">
      {props.targets.map((to) => (
        <li key={to}>
          <a href={`/formats/${props.from}-to-${to}`}>{to}</a>
        </li>
      ))}
    </ul>
  </Block>
)

function PairPage({ source, target }: { readonly source: Format; readonly target: Format }) {
  const [from, to] = [source.id, target.id]
  const pairQuery = useQuery(`pair ${from} ${to}`, async () => {
    const [{ conversions }, check] = await Promise.all([
      callApi<Conversions>(`/v1/formats/conversions?${new URLSearchParams({ from, to })}`),
      callApi<CheckResult>('/v1/convert/check', { method: 'POST', body: { from, targetFormat: to } }),
    ])
    return { options: (conversions[0]?.options ?? []).map(translateOption), check }
  })
  const extension = source.extensions[0] ?? from
  return (
    <Page
      title={words.pairTitle(from.toUpperCase(), to.toUpperCase())}
      lead={`${source.name} → ${target.name}`}
    >
      <QueryView query={pairQuery}>
        {({ options, check }) => (
          <>
            <p class="row">
              <a class="button primary" href={`/?to=${to}`}>
                {words.convert}
              </a>
              <a href={`/formats/${from}`}>{words.allOf(from.toUpperCase())}</a>
            </p>
            <Block title={words.route}>
              <p>
                {[from, ...check.steps.map((step) => step.to)].join(' → ').toUpperCase()}{' '}
                <span class="meta">{listEngines(check.engines)}</span>
              </p>
              <p class="meta">
                {check.estimate.basis === 'recorded'
                  ? words.typicalTime(formatDuration(check.estimate.runMs))
                  : words.estimatedTime(estimate(check.estimate.runMs))}
              </p>
            </Block>
            <Block title={words.losses}>
              {check.losses.length === 0 ? (
                <p>{words.noLosses}</p>
              ) : (
                <ul class="stack">
                  {check.losses.map(({ what, share, basis }) => (
                    <li key={`${what} ${basis}`}>
                      {what === 'quality' ? words.lossy(to.toUpperCase()) : (words.lost[what] ?? what)}
                      {share !== undefined &&
                        ` – ${words.keptShare(formatPercent(Math.floor(share * 100) / 100))}`}
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
                getKey={({ name }) => name}
                emptyText={words.noOptions}
              />
            </Block>
            <Block title={words.command}>
              <Copyable
                label={words.command}
                text={`curl -LOJ -H 'Prefer: wait=25' -F file=@file${extension.startsWith('.') ? '' : '.'}${extension} -F targetFormat=${to} '${location.origin}/v1/convert?redirect=true'`}
              />
            </Block>
          </>
        )}
      </QueryView>
    </Page>
  )
}

/** Without measurements, an estimate below a second would suggest more precision than it has. */
const estimate = (ms: number) => (ms < 1000 ? words.underOneSecond : formatDuration(ms))

function describeValues({ enum: values, enumLabels, min, max, unit, type, widget }: Option): string {
  if (values) return values.map((value) => enumLabels?.[value] ?? value).join(', ')
  if (min !== undefined && max !== undefined && widget === 'size')
    return `${formatSize(min)}–${formatSize(max)}`
  if (min !== undefined && max !== undefined)
    return `${formatNumber(min)}–${formatNumber(max)}${unit ? ` ${unit}` : ''}`
  return type === 'boolean' ? words.yesNo : words.text
}

function describeDefault({ default: initial, enumLabels }: Option): string {
  if (initial === undefined) return '–'
  if (typeof initial === 'boolean') return initial ? words.yes : words.no
  return enumLabels?.[String(initial)] ?? String(initial)
}

const optionColumns = [
  {
    name: words.option,
    cell: ({ label, name }: Option) => (
      <>
        {label} <code class="hint">{name}</code>
      </>
    ),
  },
  { name: words.values, cell: describeValues },
  { name: words.defaultValue, cell: describeDefault },
  { name: words.description, cell: ({ description }: Option) => description },
]
