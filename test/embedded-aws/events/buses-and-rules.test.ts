import assert from 'node:assert/strict'
import test from 'node:test'
import {
  CreateEventBusCommand,
  DeleteEventBusCommand,
  DeleteRuleCommand,
  DescribeEventBusCommand,
  DescribeRuleCommand,
  DisableRuleCommand,
  EnableRuleCommand,
  ListEventBusesCommand,
  ListRuleNamesByTargetCommand,
  ListRulesCommand,
  ListTagsForResourceCommand,
  ListTargetsByRuleCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateEventBusCommand,
} from '@aws-sdk/client-eventbridge'
import { anySource, createExpectedError, createRuleWithTarget, q } from './requests.ts'
import { busArn, functionArn, region, startTestEvents } from './start-events.ts'

test('event buses can be created, described, updated, listed in pages and deleted', async (t) => {
  const { events } = await startTestEvents(t)
  const createdBus = await events.send(
    new CreateEventBusCommand({ Name: 'orders', Description: 'all of them' }),
  )
  assert.equal(createdBus.EventBusArn, busArn('orders'))
  await assert.rejects(
    events.send(new CreateEventBusCommand({ Name: 'orders' })),
    createExpectedError('ResourceAlreadyExistsException', 'Event bus orders already exists.'),
  )
  const describedBus = await events.send(new DescribeEventBusCommand({ Name: busArn('orders') }))
  assert.equal(describedBus.Name, 'orders')
  assert.equal(describedBus.Description, 'all of them')
  assert.ok(describedBus.CreationTime instanceof Date)
  await events.send(new UpdateEventBusCommand({ Name: 'orders', Description: 'some' }))
  const firstPage = await events.send(new ListEventBusesCommand({ Limit: 1 }))
  assert.deepEqual(
    firstPage.EventBuses?.map((bus) => bus.Name),
    ['default'],
  )
  const secondPage = await events.send(
    new ListEventBusesCommand({ Limit: 1, NextToken: firstPage.NextToken }),
  )
  assert.equal(secondPage.EventBuses?.[0]?.Description, 'some')
  assert.equal(secondPage.NextToken, undefined)
  await assert.rejects(
    events.send(new DeleteEventBusCommand({ Name: 'default' })),
    createExpectedError('ValidationException', 'Cannot delete event bus default.'),
  )
  await events.send(new DeleteEventBusCommand({ Name: 'orders' }))
  await events.send(new DeleteEventBusCommand({ Name: 'orders' }))
  await assert.rejects(
    events.send(new DescribeEventBusCommand({ Name: 'orders' })),
    createExpectedError('ResourceNotFoundException', 'Event bus orders does not exist.'),
  )
})

test('EventBridge rules can be put, described, enabled, disabled, listed and deleted', async (t) => {
  const { events } = await startTestEvents(t)
  await events.send(new CreateEventBusCommand({ Name: 'orders' }))
  const ruleOnDefaultBus = await events.send(new PutRuleCommand({ Name: 'a', EventPattern: anySource }))
  assert.equal(ruleOnDefaultBus.RuleArn, `arn:aws:events:${region}:000000000000:rule/a`)
  const createdRule = await events.send(
    new PutRuleCommand({ Name: 'b', EventBusName: 'orders', EventPattern: anySource, Description: 'd' }),
  )
  assert.equal(createdRule.RuleArn, `arn:aws:events:${region}:000000000000:rule/orders/b`)
  await events.send(new DisableRuleCommand({ Name: 'b', EventBusName: busArn('orders') }))
  const { $metadata: _, ...rule } = await events.send(
    new DescribeRuleCommand({ Name: 'b', EventBusName: 'orders' }),
  )
  assert.deepEqual(rule, {
    Name: 'b',
    Arn: createdRule.RuleArn,
    EventPattern: anySource,
    State: 'DISABLED',
    Description: 'd',
    EventBusName: 'orders',
    CreatedBy: '000000000000',
  })
  await events.send(new EnableRuleCommand({ Name: 'b', EventBusName: 'orders' }))
  await events.send(new PutRuleCommand({ Name: 'b', EventBusName: 'orders', EventPattern: anySource }))
  const listedRules = await events.send(new ListRulesCommand({ EventBusName: 'orders', NamePrefix: 'b' }))
  assert.equal(listedRules.Rules?.length, 1)
  assert.equal(listedRules.Rules?.[0]?.State, 'ENABLED')
  assert.equal(listedRules.Rules?.[0]?.Description, undefined, 'what a second PutRule leaves out is gone')
  await assert.rejects(
    events.send(new DeleteEventBusCommand({ Name: 'orders' })),
    createExpectedError('ValidationException', 'Cannot delete event bus orders. It still has rules.'),
  )
  await events.send(new DeleteRuleCommand({ Name: 'b', EventBusName: 'orders' }))
  await assert.rejects(
    events.send(new DescribeRuleCommand({ Name: 'b' })),
    createExpectedError('ResourceNotFoundException', 'Rule b does not exist on EventBus default.'),
  )
})

test('an EventBridge rule needs a pattern or a schedule, and a schedule needs the default bus', async (t) => {
  const { events } = await startTestEvents(t)
  await events.send(new CreateEventBusCommand({ Name: 'orders' }))
  const put = (members: object) => events.send(new PutRuleCommand({ Name: 'r', ...members }))
  await assert.rejects(
    put({}),
    createExpectedError(
      'ValidationException',
      'Parameter(s) EventPattern or ScheduleExpression must be specified.',
    ),
  )
  await assert.rejects(
    put({ ScheduleExpression: 'rate(1 minute)', EventBusName: 'orders' }),
    createExpectedError(
      'ValidationException',
      'ScheduleExpression is supported only on the default event bus.',
    ),
  )
  for (const ScheduleExpression of ['rate(1 minutes)', 'at(2030-01-01T00:00:00)', 'cron(x)'])
    await assert.rejects(
      put({ ScheduleExpression }),
      createExpectedError('ValidationException', 'Parameter ScheduleExpression is not valid.'),
    )
  await assert.rejects(
    put({ EventPattern: '{"a":[]}' }),
    createExpectedError(
      'InvalidEventPatternException',
      'Event pattern is not valid. Reason: Empty arrays are not allowed',
    ),
  )
  await assert.rejects(
    put({ EventPattern: anySource, EventBusName: 'nope' }),
    createExpectedError('ResourceNotFoundException', 'Event bus nope does not exist.'),
  )
})

test('an EventBridge rule can have up to five targets, which can be listed, found by ARN and removed', async (t) => {
  const { events } = await startTestEvents(t)
  await createRuleWithTarget(events, {})
  const moreTargets = ['two', 'three', 'four', 'five'].map((Id) => ({ Id, Arn: functionArn('f') }))
  const put = await events.send(new PutTargetsCommand({ Rule: 'rule', Targets: moreTargets }))
  assert.equal(put.FailedEntryCount, 0)
  await assert.rejects(
    events.send(new PutTargetsCommand({ Rule: 'rule', Targets: [{ Id: 'six', Arn: q }] })),
    createExpectedError(
      'LimitExceededException',
      'The requested resource exceeds the maximum number allowed.',
    ),
  )
  await assert.rejects(
    events.send(new DeleteRuleCommand({ Name: 'rule' })),
    createExpectedError('ValidationException', "Rule can't be deleted since it has targets."),
  )
  const page = await events.send(new ListTargetsByRuleCommand({ Rule: 'rule', Limit: 3 }))
  const secondPage = await events.send(
    new ListTargetsByRuleCommand({ Rule: 'rule', NextToken: page.NextToken }),
  )
  assert.deepEqual(
    [...(page.Targets ?? []), ...(secondPage.Targets ?? [])].map((target) => target.Id),
    ['five', 'four', 'one', 'three', 'two'],
  )
  const names = await events.send(new ListRuleNamesByTargetCommand({ TargetArn: functionArn('f') }))
  assert.deepEqual(names.RuleNames, ['rule'])
  await events.send(
    new RemoveTargetsCommand({ Rule: 'rule', Ids: ['one', ...moreTargets.map(({ Id }) => Id)] }),
  )
  await events.send(new DeleteRuleCommand({ Name: 'rule' }))
  await assert.rejects(
    events.send(new PutTargetsCommand({ Rule: 'rule', Targets: moreTargets })),
    createExpectedError('ResourceNotFoundException', 'Rule rule does not exist on EventBus default.'),
  )
})

test('PutTargets refuses a target that is not supported', async (t) => {
  const { events } = await startTestEvents(t)
  await events.send(new PutRuleCommand({ Name: 'r', EventPattern: anySource }))
  const put = (target: object) =>
    events.send(new PutTargetsCommand({ Rule: 'r', Targets: [{ Id: 'one', Arn: q, ...target }] }))
  const invalidInputs: [object, string | RegExp][] = [
    [{ Arn: 'nonsense' }, 'Parameter nonsense is not valid. Reason: Provided Arn is not in correct format.'],
    [{ Arn: `arn:aws:sns:${region}:000000000000:t` }, /sns targets are not supported here; use an SQS queue/],
    [
      { Arn: `arn:aws:events:us-east-1:000000000000:event-bus/b` },
      /Only event buses of this account and region/,
    ],
    [{ Arn: `${q}.fifo` }, 'Parameter(s) SqsParameters must be specified for target: one.'],
    [{ Input: '{' }, 'JSON syntax error in input for target one'],
    [{ InputPath: 'detail' }, 'Invalid InputPath for target one.'],
    [
      { Input: '{}', InputPath: '$.detail' },
      'Only one of Input, InputPath, or InputTransformer must be provided for target one.',
    ],
    [
      { InputTransformer: { InputPathsMap: { a: '$.id' }, InputTemplate: '"<a> <b>"' } },
      'InputTemplate for target one contains invalid placeholder b.',
    ],
    [
      { KinesisParameters: { PartitionKeyPath: '$' } },
      'KinesisParameters is not supported by this server. Leave it out.',
    ],
    [{ DeadLetterConfig: { Arn: `${q}.fifo` } }, /A dead-letter queue is a standard SQS queue/],
    [{ RetryPolicy: { MaximumRetryAttempts: 186 } }, /Member must have value less than or equal to 185$/],
  ]
  for (const [target, message] of invalidInputs)
    await assert.rejects(put(target), createExpectedError('ValidationException', message))
})

test('EventBridge rules and buses can be tagged, and a second PutRule does not change the tags of a rule', async (t) => {
  const { events } = await startTestEvents(t)
  const { RuleArn } = await events.send(
    new PutRuleCommand({ Name: 'r', EventPattern: anySource, Tags: [{ Key: 'a', Value: '1' }] }),
  )
  await events.send(
    new PutRuleCommand({ Name: 'r', EventPattern: anySource, Tags: [{ Key: 'z', Value: '1' }] }),
  )
  for (const ResourceARN of [RuleArn, busArn('default')]) {
    await events.send(
      new TagResourceCommand({
        ResourceARN,
        Tags: [
          { Key: 'a', Value: '2' },
          { Key: 'b', Value: '' },
        ],
      }),
    )
    await events.send(new UntagResourceCommand({ ResourceARN, TagKeys: ['a'] }))
    const { Tags } = await events.send(new ListTagsForResourceCommand({ ResourceARN }))
    assert.deepEqual(Tags, [{ Key: 'b', Value: '' }])
  }
  await assert.rejects(
    events.send(new ListTagsForResourceCommand({ ResourceARN: `${RuleArn}x` })),
    createExpectedError('ResourceNotFoundException', 'Rule rx does not exist on EventBus default.'),
  )
})
