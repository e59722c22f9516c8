import { metricNamespace } from '../services/embedded-metric.ts'
import { isRecord } from './check/template.ts'

/** Properties of an alarm that appear in its graph on the dashboard. */
interface AlarmProperties {
  readonly Namespace: string
  readonly MetricName: string
  readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[]
  readonly Statistic?: string
  readonly ExtendedStatistic?: string
  readonly Threshold: number
  readonly Period: number
}

interface Resource {
  readonly Type: string
  readonly Properties: object
}

const columnCount = 3
const size = { width: 24 / columnCount, height: 6 } as const
const region = `\${AWS::Region}`

/** Graphs of job metrics that have no alarm, with a line per engine or error code. */
const jobGraphs = [
  {
    title: 'Duration of jobs by engine, p95 (ms)',
    dimension: 'Engine',
    metric: 'Duration',
    statistic: 'p95',
  },
  { title: 'Failed jobs by error code', dimension: 'ErrorCode', metric: 'Failures', statistic: 'Sum' },
] as const

/** Converts a value to text for `Fn::Sub`, where a reference is written as `${…}`. */
function toSubstitutionText(value: unknown): string {
  if (!isRecord(value)) return String(value)
  const { Ref, 'Fn::GetAtt': attribute } = value
  return `\${${Ref === undefined ? (attribute as readonly string[]).join('.') : String(Ref)}}`
}

const createAlarmGraph = (alarms: readonly AlarmProperties[]) => {
  const [{ Namespace, MetricName, Statistic, ExtendedStatistic, Threshold, Period }] = alarms as [
    AlarmProperties,
  ]
  return {
    title: `${MetricName} (${Namespace})`,
    region,
    stat: Statistic ?? ExtendedStatistic,
    period: Period,
    metrics: alarms.map(({ Dimensions }) => [
      Namespace,
      MetricName,
      ...Dimensions.flatMap(({ Name, Value }) => [Name, toSubstitutionText(Value)]),
    ]),
    annotations: { horizontal: [{ label: 'alarm', value: Threshold }] },
  }
}

const createJobGraph = ({ title, dimension, metric, statistic }: (typeof jobGraphs)[number]) => ({
  title,
  region,
  metrics: [
    [
      {
        expression: `SEARCH('{${metricNamespace},${dimension}} MetricName="${metric}"', '${statistic}', 300)`,
      },
    ],
  ],
})

/** Creates a dashboard with a graph for each metric that has an alarm, and the graphs of jobs. */
export function createDashboardResources(resources: Readonly<Record<string, Resource>>) {
  const alarms = Object.values(resources)
    .filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
    // `createAlarm` created these properties.
    .map(({ Properties }) => Properties as AlarmProperties)
  const alarmsByMetric = Map.groupBy(alarms, ({ Namespace, MetricName }) => `${Namespace} ${MetricName}`)
  const graphs = [...jobGraphs.map(createJobGraph), ...[...alarmsByMetric.values()].map(createAlarmGraph)]
  const widgets = graphs.map((properties, at) => ({
    type: 'metric',
    x: (at % columnCount) * size.width,
    y: Math.floor(at / columnCount) * size.height,
    ...size,
    properties,
  }))
  return {
    Dashboard: {
      Type: 'AWS::CloudWatch::Dashboard',
      Properties: {
        DashboardName: `\${self:service}-\${sls:stage}`,
        DashboardBody: { 'Fn::Sub': JSON.stringify({ widgets }) },
      },
    },
  }
}
