export interface Metric {
  readonly name: string
  readonly unit: 'Milliseconds' | 'Seconds' | 'Count'
  readonly value: number
  /** CloudWatch dimension of the metric. */
  readonly dimension?: Readonly<Record<string, string>>
}

export const metricNamespace = 'Mutabor'

/** Names of the sweep's metrics, which its alarms use. */
export const sweepMetrics = {
  quarantined: 'QuarantinedRecords',
  delay: 'SweepDelay',
  deliveryDelay: 'DeliveryDelay',
} as const

/**
 * Returns the fields of a log line from which CloudWatch reads a metric, so that no API call is needed.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export const toEmbeddedMetric = ({ name, unit, value, dimension = {} }: Metric, timestampMs: number) => ({
  _aws: {
    Timestamp: timestampMs,
    CloudWatchMetrics: [
      {
        Namespace: metricNamespace,
        Dimensions: [Object.keys(dimension)],
        Metrics: [{ Name: name, Unit: unit }],
      },
    ],
  },
  ...dimension,
  [name]: value,
})
