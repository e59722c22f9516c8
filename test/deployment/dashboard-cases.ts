import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sweepMetrics } from '../../lib/services/embedded-metric.ts'
import { listResourcesOfType, properties, template } from '../support/packaged-deployment.ts'

interface Widget {
  readonly properties: {
    readonly title: string
    readonly metrics: readonly (readonly (string | { readonly expression: string })[])[]
  }
}

/** Names of our own metrics: those of the sweep, and those of `functions/record-metrics.ts`. */
const serviceMetrics = [...Object.values(sweepMetrics), 'Duration', 'Failures', 'DeletedFiles']

test('the dashboard shows as many metrics as there are alarms, and only metrics of existing resources', () => {
  const [[, { Properties }] = assert.fail()] = listResourcesOfType('AWS::CloudWatch::Dashboard')
  const { 'Fn::Sub': body } = Properties['DashboardBody'] as { 'Fn::Sub': string }
  const { widgets } = JSON.parse(body) as { widgets: readonly Widget[] }
  const functionNames = listResourcesOfType('AWS::Lambda::Function').map(
    ([, one]) => one.Properties['FunctionName'],
  )
  const shownMetrics = new Set<string>()
  for (const { properties: graph } of widgets)
    for (const [namespace, metric, ...dimensions] of graph.metrics) {
      if (typeof namespace === 'object') {
        const name = /MetricName="(\w+)"/.exec(namespace.expression)?.[1] ?? ''
        assert.ok(serviceMetrics.includes(name), namespace.expression)
        continue
      }
      shownMetrics.add(`${namespace} ${metric} ${JSON.stringify(dimensions)}`)
      if (namespace === 'Mutabor') assert.ok(serviceMetrics.includes(String(metric)), String(metric))
      const [name, value] = dimensions.map(String)
      const [, id] = /^\$\{(\w+)/.exec(value ?? '') ?? []
      if (name === 'FunctionName') assert.ok(functionNames.includes(value), value)
      else if (name !== undefined) assert.ok(properties(id ?? ''), `${name} ${value}`)
    }
  assert.equal(shownMetrics.size, listResourcesOfType('AWS::CloudWatch::Alarm').length)
  assert.ok(template.Resources['Dashboard'])
})
