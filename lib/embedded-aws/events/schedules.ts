// Schedules. https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html etc.
import * as z from 'zod'
import { isTimeZone } from '../../time-zones.ts'
import { ApiError } from '../signed-api.ts'
import type { EventsAccount } from './account.ts'
import { runOncePerToken, Token } from './client-token.ts'
import { resourceNotFound, validationError } from './errors.ts'
import { isJson } from './json.ts'
import {
  paginate,
  RetryPolicy,
  readMembers,
  rejectField,
  retryLimits,
  textField,
  wholeNumberField,
} from './request-params.ts'
import { firstRun, readScheduleExpression, type ScheduleExpression } from './schedule-expression.ts'
import { findGroup, GroupName } from './schedule-groups.ts'
import { checkDeadLetterArn, checkTargetArn, isFifo, serviceOf } from './target-arn.ts'

const Name = textField(1, 64, '^[0-9a-zA-Z-_.]+$')

const Target = z.object({
  Arn: textField(1, 1600),
  RoleArn: textField(1, 1600, '^arn:aws(-[a-z]+)?:iam::\\d{12}:role\\/[\\w+=,.@\\/-]+$'),
  Input: textField(1, 262_144).optional(),
  SqsParameters: z.object({ MessageGroupId: textField(1, 128).optional() }).optional(),
  EventBridgeParameters: z
    .object({
      DetailType: textField(1, 128),
      Source: textField(
        1,
        256,
        '(?=[/\\.\\-_A-Za-z0-9]+)((?!aws\\.).*)|(\\$(\\.[\\w_-]+(\\[(\\d+|\\*)\\])*)*)',
      ),
    })
    .optional(),
  DeadLetterConfig: z.object({ Arn: textField(1, 1600).optional() }).optional(),
  RetryPolicy: RetryPolicy.default({}),
  EcsParameters: rejectField('EcsParameters'),
  KinesisParameters: rejectField('KinesisParameters'),
  SageMakerPipelineParameters: rejectField('SageMakerPipelineParameters'),
})

const Members = z.object({
  Name,
  GroupName: GroupName.default('default'),
  Description: textField(0, 512).optional(),
  ScheduleExpression: textField(1, 256),
  ScheduleExpressionTimezone: textField(1, 50).default('UTC'),
  StartDate: z.number().optional(),
  EndDate: z.number().optional(),
  FlexibleTimeWindow: z.object({
    Mode: z.enum(['OFF', 'FLEXIBLE']),
    MaximumWindowInMinutes: wholeNumberField(1, 1440).optional(),
  }),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  ActionAfterCompletion: z.enum(['NONE', 'DELETE']).default('NONE'),
  Target,
  ClientToken: Token.optional(),
  KmsKeyArn: rejectField('KmsKeyArn'),
})

export interface Schedule extends Omit<z.infer<typeof Members>, 'ClientToken'> {
  /** Epoch milliseconds, like the following times. */
  readonly createdAt: number
  readonly modifiedAt: number
  /** Start of a rate. */
  readonly anchor: number
  /** Time of the next run by its schedule expression; it starts within its flexible window. */
  readonly nextRunAt?: number
}

const Ref = z.object({ Name, GroupName: GroupName.default('default'), ClientToken: Token.optional() })

export const schedulesOf = (account: EventsAccount) => account.store.collection<Schedule>('schedule')
export const scheduleKey = ({ GroupName, Name }: Pick<Schedule, 'GroupName' | 'Name'>) =>
  `${GroupName}/${Name}`

export const scheduleArn = (
  { region, accountId }: EventsAccount,
  schedule: Pick<Schedule, 'GroupName' | 'Name'>,
) => `arn:aws:scheduler:${region}:${accountId}:schedule/${scheduleKey(schedule)}`

function findSchedule(account: EventsAccount, ref: Pick<Schedule, 'GroupName' | 'Name'>): Schedule {
  findGroup(account, ref.GroupName)
  const schedule = schedulesOf(account).get(scheduleKey(ref))
  if (!schedule) throw resourceNotFound(`Schedule ${ref.Name} does not exist.`, 404)
  return schedule
}

function readExpressionOf(schedule: Pick<Schedule, 'ScheduleExpression'>): ScheduleExpression {
  const expression = readScheduleExpression(schedule.ScheduleExpression)
  if (!expression) throw validationError(`Invalid Schedule Expression ${schedule.ScheduleExpression}.`)
  return expression
}

/** Returns the first run after a time that is between the start and the end of a schedule. */
export function nextScheduleRun(schedule: Schedule, after: number): number | undefined {
  const expression = readExpressionOf(schedule)
  const { anchor, ScheduleExpressionTimezone: zone, StartDate, EndDate } = schedule
  // "EventBridge Scheduler ignores StartDate for one-time schedules", and EndDate.
  if (expression.kind === 'at') return firstRun(expression, { zone, anchor, after })
  const from = StartDate === undefined ? after : Math.max(after, StartDate * 1000 - 1)
  const run = firstRun(expression, { zone, anchor, after: from })
  return run !== undefined && EndDate !== undefined && run > EndDate * 1000 ? undefined : run
}

/** Returns how long after its time AWS may start a run. */
export function windowMs({ FlexibleTimeWindow: { MaximumWindowInMinutes = 0 } }: Schedule): number {
  return MaximumWindowInMinutes * 60_000
}

/** Stores a schedule with its next run, at a random time in its window if it is flexible. */
export function putSchedule(account: EventsAccount, schedule: Schedule, runAt: number | undefined): void {
  const { nextRunAt: _, ...rest } = schedule
  const spread = Math.floor(Math.random() * windowMs(schedule))
  const enabled = runAt !== undefined && schedule.State === 'ENABLED'
  schedulesOf(account).put(
    scheduleKey(schedule),
    enabled ? { ...rest, nextRunAt: runAt } : rest,
    enabled ? runAt + spread : undefined,
  )
}

export const scheduleOperations = {
  CreateSchedule(account: EventsAccount, body: unknown) {
    const members = readSchedule(account, body)
    return runOncePerToken(account, 'CreateSchedule', members, () => {
      findGroup(account, members.GroupName)
      if (schedulesOf(account).get(scheduleKey(members)))
        throw new ApiError('ConflictException', `Schedule ${members.Name} already exists.`, 409)
      return save(account, members, undefined)
    })
  },

  UpdateSchedule(account: EventsAccount, body: unknown) {
    const members = readSchedule(account, body)
    return runOncePerToken(account, 'UpdateSchedule', members, () =>
      save(account, members, findSchedule(account, members)),
    )
  },

  GetSchedule(account: EventsAccount, body: unknown) {
    const schedule = findSchedule(account, readMembers(Ref, body))
    const { createdAt, modifiedAt, anchor: _, nextRunAt: __, ...members } = schedule
    return {
      ...members,
      Arn: scheduleArn(account, schedule),
      CreationDate: createdAt / 1000,
      LastModificationDate: modifiedAt / 1000,
    }
  },

  DeleteSchedule(account: EventsAccount, body: unknown) {
    const ref = readMembers(Ref, body)
    return runOncePerToken(account, 'DeleteSchedule', ref, () => {
      schedulesOf(account).delete(scheduleKey(findSchedule(account, ref)))
      return {}
    })
  },

  ListSchedules(account: EventsAccount, body: unknown) {
    const { ScheduleGroup, NamePrefix = '', State, MaxResults, NextToken } = readMembers(ListSchedules, body)
    if (ScheduleGroup !== undefined) findGroup(account, ScheduleGroup)
    const schedules = schedulesOf(account)
      .list()
      .filter(
        (one) =>
          (ScheduleGroup === undefined || one.GroupName === ScheduleGroup) &&
          (State === undefined || one.State === State) &&
          one.Name.startsWith(NamePrefix),
      )
    const { items, next } = paginate(schedules, scheduleKey, { token: NextToken, limit: MaxResults })
    return { Schedules: items.map((one) => summary(account, one)), ...next }
  },
}

const ListSchedules = z.object({
  ScheduleGroup: GroupName.optional(),
  NamePrefix: Name.optional(),
  State: z.enum(['ENABLED', 'DISABLED']).optional(),
  MaxResults: z.coerce.number().int().min(1).max(100).default(100),
  NextToken: textField(1, 2048).optional(),
})

const summary = (account: EventsAccount, schedule: Schedule) => ({
  Arn: scheduleArn(account, schedule),
  Name: schedule.Name,
  GroupName: schedule.GroupName,
  State: schedule.State,
  CreationDate: schedule.createdAt / 1000,
  LastModificationDate: schedule.modifiedAt / 1000,
  Target: { Arn: schedule.Target.Arn },
})

function save(account: EventsAccount, members: z.infer<typeof Members>, before: Schedule | undefined) {
  const { ClientToken: _, ...rest } = members
  const at = account.now()
  const sameRate =
    before?.ScheduleExpression === rest.ScheduleExpression && before.StartDate === rest.StartDate
  // Without a StartDate, AWS runs a rate immediately and counts from there.
  const anchor =
    before && sameRate ? before.anchor : rest.StartDate === undefined ? at : rest.StartDate * 1000
  const schedule: Schedule = { ...rest, createdAt: before?.createdAt ?? at, modifiedAt: at, anchor }
  // A one-time schedule for "now" arrives slightly late; AWS's precision is a minute.
  const since = readExpressionOf(schedule).kind === 'at' ? 60_000 : 1
  putSchedule(account, schedule, nextScheduleRun(schedule, before && sameRate ? at : at - since))
  return { ScheduleArn: scheduleArn(account, schedule) }
}

function readSchedule(account: EventsAccount, body: unknown): z.infer<typeof Members> {
  const members = readMembers(Members, body)
  const { FlexibleTimeWindow: window, StartDate, EndDate, ScheduleExpressionTimezone } = members
  const expression = readExpressionOf(members)
  if (!isTimeZone(ScheduleExpressionTimezone))
    throw validationError(`Invalid Schedule Expression Timezone ${ScheduleExpressionTimezone}.`)
  if (window.Mode === 'FLEXIBLE' && window.MaximumWindowInMinutes === undefined)
    throw validationError('MaximumWindowInMinutes must be specified when Mode is FLEXIBLE.')
  if (window.Mode === 'OFF' && window.MaximumWindowInMinutes !== undefined)
    throw validationError('MaximumWindowInMinutes cannot be specified when Mode is OFF.')
  if (expression.kind !== 'at') {
    if (StartDate !== undefined && StartDate * 1000 < account.now() - 300_000)
      throw validationError('The StartDate you specify cannot be earlier than 5 minutes ago.')
    if (EndDate !== undefined && EndDate * 1000 <= account.now())
      throw validationError('The EndDate you specify must be in the future.')
    if (StartDate !== undefined && EndDate !== undefined && EndDate <= StartDate)
      throw validationError('The EndDate must come after the StartDate.')
  }
  checkTarget(account, members.Target)
  const { MaximumEventAgeInSeconds = retryLimits.ageS, MaximumRetryAttempts = retryLimits.attempts } =
    members.Target.RetryPolicy
  return {
    ...members,
    Target: { ...members.Target, RetryPolicy: { MaximumEventAgeInSeconds, MaximumRetryAttempts } },
  }
}

function checkTarget(account: EventsAccount, target: z.infer<typeof Target>): void {
  checkTargetArn(target.Arn, account)
  checkDeadLetterArn(target.DeadLetterConfig?.Arn)
  const service = serviceOf(target.Arn)
  if (isFifo(target.Arn) && !target.SqsParameters?.MessageGroupId)
    throw validationError('MessageGroupId must be specified for a FIFO queue target.')
  if (target.SqsParameters && service !== 'sqs')
    throw validationError('SqsParameters are for SQS targets only.')
  if ((service === 'events') !== (target.EventBridgeParameters !== undefined))
    throw validationError(
      'EventBridgeParameters must be specified for an event bus target, and for no other.',
    )
  if (service !== 'sqs' && target.Input !== undefined && !isJson(target.Input))
    throw validationError('Invalid request provided: the Input of this target must be valid JSON.')
}
