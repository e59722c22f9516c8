import type { FunctionDeclaration } from '../resources/function-declaration.ts'
import { functions as declared, functionNames } from '../resources/functions.ts'
import { imageIds, queueIds } from '../resources/queues.ts'
import { deadLetterQueueId, pascalCase, queueResourceId } from './references.ts'
import { isDeployed, type Stage } from './stage.ts'

interface Watched {
  readonly what: string
  readonly namespace: string
  readonly metric: string
  readonly dimensions: Readonly<Record<string, unknown>>
  readonly statistic: 'Sum' | 'Maximum'
  /** At or above which somebody is told. */
  readonly from: number
  readonly minutes: number
}

const alarm = ({ what, namespace, metric, dimensions, statistic, from, minutes }: Watched) => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: {
    AlarmDescription: what,
    Namespace: namespace,
    MetricName: metric,
    Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
    Statistic: statistic,
    Period: minutes * 60,
    EvaluationPeriods: 1,
    Threshold: from,
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    TreatMissingData: 'notBreaching',
    AlarmActions: [{ Ref: 'Alarms' }],
    OKActions: [{ Ref: 'Alarms' }],
  },
})

const queueMetric = (id: string) => ({
  namespace: 'AWS/SQS',
  dimensions: { QueueName: { 'Fn::GetAtt': [id, 'QueueName'] } },
  statistic: 'Maximum' as const,
  minutes: 5,
})

/** Names of queues that have one for what failed. */
const withDeadLetters = [
  ...queueIds,
  ...functionNames.filter((name) => (declared[name] as FunctionDeclaration).deadLetter),
]

const names = [...functionNames, ...imageIds.map((image) => `convert-${image}`)]

const ofQueues = () => [
  ...queueIds.map((queue) => [
    `${pascalCase(queue)}QueueIsSlow`,
    alarm({
      ...queueMetric(queueResourceId(queue)),
      what: `What waits for ${queue} has waited for 15 minutes: raise conversionsAtATime, or see what fails`,
      metric: 'ApproximateAgeOfOldestMessage',
      from: 900,
    }),
  ]),
  ...withDeadLetters.map((name) => [
    `${pascalCase(name)}GaveUp`,
    alarm({
      ...queueMetric(deadLetterQueueId(name)),
      what: `Something of ${name} was put aside: lib/deployment/README.md says how it comes back`,
      metric: 'ApproximateNumberOfMessagesVisible',
      from: 1,
    }),
  ]),
]

const ofFunctions = (stage: Stage) =>
  names
    .filter((name) => isDeployed(name, stage))
    .map((name) => [
      `${pascalCase(name)}Fails`,
      alarm({
        what: `${name} ended with errors`,
        namespace: 'AWS/Lambda',
        metric: 'Errors',
        dimensions: { FunctionName: `\${self:service}-\${sls:stage}-${name}` },
        statistic: 'Sum',
        from: 5,
        minutes: 5,
      }),
    ])

const ofAll = () => ({
  FunctionsAreThrottled: alarm({
    what: 'Functions were refused: the account has too few at a time, or somebody asks for too much',
    ...{
      namespace: 'AWS/Lambda',
      metric: 'Throttles',
      dimensions: {},
      statistic: 'Sum',
      from: 20,
      minutes: 5,
    },
  }),
  RequestsFail: alarm({
    what: 'Requests were answered with 5xx',
    ...{ namespace: 'AWS/ApiGateway', metric: '5xx', dimensions: { ApiId: { Ref: 'HttpApi' } } },
    ...{ statistic: 'Sum', from: 10, minutes: 5 },
  }),
})

const budget = ({ alarmMail, dollarsPerDay }: Stage) =>
  alarmMail && {
    DailyBudget: {
      Type: 'AWS::Budgets::Budget',
      Properties: {
        Budget: {
          BudgetType: 'COST',
          TimeUnit: 'DAILY',
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

/** Who is told that something waits, fails, is refused or costs more than it should. */
export const alarmResources = (stage: Stage) => ({
  Alarms: {
    Type: 'AWS::SNS::Topic',
    Properties: {
      ...(stage.alarmMail && { Subscription: [{ Protocol: 'email', Endpoint: stage.alarmMail }] }),
    },
  },
  ...Object.fromEntries([...ofQueues(), ...ofFunctions(stage)]),
  ...ofAll(),
  ...budget(stage),
})
