import { imageIds } from '../component-ids.ts'
import { findDeclaration, functionNames } from '../resources/functions.ts'
import { queueIds } from '../resources/queues.ts'
import { metricNamespace, sweepMetrics } from '../services/embedded-metric.ts'
import { getDeadLetterQueueId, getQueueResourceId, toPascalCase } from './references.ts'
import { isDeployed, type Stage } from './stage.ts'

interface AlarmSpec {
  readonly description: string
  readonly namespace: string
  readonly metric: string
  readonly dimensions: Readonly<Record<string, unknown>>
  readonly statistic: 'Sum' | 'Maximum' | 'p50'
  /** The alarm is triggered at or above this value. */
  readonly threshold: number
  readonly minutes: number
}

const createAlarm = ({
  description,
  namespace,
  metric,
  dimensions,
  statistic,
  threshold,
  minutes,
}: AlarmSpec) => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: {
    AlarmDescription: description,
    Namespace: namespace,
    MetricName: metric,
    Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
    ...(statistic === 'p50' ? { ExtendedStatistic: statistic } : { Statistic: statistic }),
    Period: minutes * 60,
    EvaluationPeriods: 1,
    Threshold: threshold,
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    TreatMissingData: 'notBreaching',
    AlarmActions: [{ Ref: 'Alarms' }],
    OKActions: [{ Ref: 'Alarms' }],
  },
})

const createQueueMetric = (id: string) => ({
  namespace: 'AWS/SQS',
  dimensions: { QueueName: { 'Fn::GetAtt': [id, 'QueueName'] } },
  statistic: 'Maximum' as const,
  minutes: 5,
})

/** Queues and functions with a dead-letter queue. */
const namesWithDeadLetterQueue = [
  ...queueIds,
  ...functionNames.filter((name) => findDeclaration(name)?.deadLetter),
]

const allFunctionNames = [...functionNames, ...imageIds.map((image) => `convert-${image}`)]

const createQueueAlarms = () => [
  ...queueIds.map((queue) => [
    `${toPascalCase(queue)}QueueIsSlow`,
    createAlarm({
      ...createQueueMetric(getQueueResourceId(queue)),
      description: `A message in the queue ${queue} is 15 minutes old: raise conversionsAtATime, or check what fails`,
      metric: 'ApproximateAgeOfOldestMessage',
      threshold: 900,
    }),
  ]),
  ...namesWithDeadLetterQueue.map((name) => [
    `${toPascalCase(name)}GaveUp`,
    createAlarm({
      ...createQueueMetric(getDeadLetterQueueId(name)),
      description: `${name} has messages in its dead-letter queue: lib/deployment/README.md says how to redrive them`,
      metric: 'ApproximateNumberOfMessagesVisible',
      threshold: 1,
    }),
  ]),
]

const createFunctionAlarms = (stage: Stage) =>
  allFunctionNames
    .filter((name) => isDeployed(name, stage))
    .map((name) => [
      `${toPascalCase(name)}Fails`,
      createAlarm({
        description: `${name} failed at least 5 times in 5 minutes: find the errors, timeouts and "Runtime exited" in its log`,
        namespace: 'AWS/Lambda',
        metric: 'Errors',
        dimensions: { FunctionName: `\${self:service}-\${sls:stage}-${name}` },
        statistic: 'Sum',
        threshold: 5,
        minutes: 5,
      }),
    ])

const createSweepAlarms = () => ({
  RecordsAreQuarantined: createAlarm({
    description:
      'Records failed five times in a row and are now retried only once a day: find "record is quarantined" in the log of sweep',
    namespace: metricNamespace,
    metric: sweepMetrics.quarantined,
    dimensions: {},
    statistic: 'Sum',
    threshold: 1,
    minutes: 60,
  }),
  SweepIsSlow: createAlarm({
    description: 'A record is overdue by 15 minutes: the sweep fails or has too much to do',
    namespace: metricNamespace,
    metric: sweepMetrics.delay,
    dimensions: {},
    statistic: 'Maximum',
    threshold: 900,
    minutes: 5,
  }),
  DeliveriesAreStuck: createAlarm({
    description:
      'A webhook call has been due for an hour: check whether deliver fails or is throttled, and how old the messages in the queue delivery are',
    namespace: metricNamespace,
    metric: sweepMetrics.deliveryDelay,
    dimensions: {},
    statistic: 'Maximum',
    threshold: 3600,
    minutes: 15,
  }),
})

const createServiceAlarms = () => ({
  FunctionsAreThrottled: createAlarm({
    description:
      'Invocations were throttled: the concurrency quota of the account is too low, or a client sends too many requests',
    namespace: 'AWS/Lambda',
    metric: 'Throttles',
    dimensions: {},
    statistic: 'Sum',
    threshold: 20,
    minutes: 5,
  }),
  RecursionIsStopped: createAlarm({
    description:
      'AWS stopped a function that invoked itself through its own messages 16 times: set `recurs` in lib/resources/functions.ts if that is intended',
    namespace: 'AWS/Lambda',
    metric: 'RecursiveInvocationsDropped',
    dimensions: {},
    statistic: 'Sum',
    threshold: 1,
    minutes: 5,
  }),
  RequestsAreSlow: createAlarm({
    description: 'Half of the requests take more than 3 s; waiting for jobs counts as well',
    namespace: 'AWS/ApiGateway',
    metric: 'Latency',
    dimensions: { ApiId: { Ref: 'HttpApi' } },
    statistic: 'p50',
    threshold: 3000,
    minutes: 15,
  }),
  RequestsFail: createAlarm({
    description:
      'At least 10 requests failed with 5xx in 5 minutes: find their lines in the access log of the HTTP API, and the errors of the function with their request ids',
    namespace: 'AWS/ApiGateway',
    metric: '5xx',
    dimensions: { ApiId: { Ref: 'HttpApi' } },
    statistic: 'Sum',
    threshold: 10,
    minutes: 5,
  }),
})

/** Creates a budget for the costs of everything that has the stage's tag, which the Serverless Framework adds. */
const createBudget = ({ name, alarmMail, dollarsPerDay }: Stage) =>
  alarmMail && {
    DailyBudget: {
      Type: 'AWS::Budgets::Budget',
      Properties: {
        Budget: {
          BudgetType: 'COST',
          TimeUnit: 'DAILY',
          CostFilters: { TagKeyValue: [`user:STAGE$${name}`] },
          BudgetLimit: { Amount: dollarsPerDay, Unit: 'USD' },
        },
        NotificationsWithSubscribers: [
          {
            Notification: {
              NotificationType: 'ACTUAL',
              ComparisonOperator: 'GREATER_THAN',
              Threshold: 100,
            },
            Subscribers: [{ SubscriptionType: 'EMAIL', Address: alarmMail }],
          },
        ],
      },
    },
  }

/** Creates alarms for slow queues, failures, throttling and costs, and the topic that sends them by email. */
export const createAlarmResources = (stage: Stage) => ({
  Alarms: {
    Type: 'AWS::SNS::Topic',
    Properties: {
      ...(stage.alarmMail && { Subscription: [{ Protocol: 'email', Endpoint: stage.alarmMail }] }),
    },
  },
  ...Object.fromEntries([...createQueueAlarms(), ...createFunctionAlarms(stage)]),
  ...createServiceAlarms(),
  ...createSweepAlarms(),
  ...createBudget(stage),
})
