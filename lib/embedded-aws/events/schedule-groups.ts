// Schedule groups and their tags.
// https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateScheduleGroup.html etc.
import * as z from 'zod'
import { ApiError } from '../signed-api.ts'
import type { EventsAccount } from './account.ts'
import { runOncePerToken, Token } from './client-token.ts'
import { resourceNotFound, validationError } from './errors.ts'
import { paginate, readMembers, textField } from './request-params.ts'
import { type TagRecord, tagList, tagsOf, withoutTags } from './tags.ts'

export interface GroupRecord {
  readonly name: string
  readonly tags: TagRecord
  /** Milliseconds. */
  readonly createdAt: number
  readonly modifiedAt: number
}

export const GroupName = textField(1, 64, '^[0-9a-zA-Z-_.]+$')
const Ref = z.object({ Name: GroupName, ClientToken: Token.optional() })
const Tags = z.array(z.object({ Key: textField(1, 128), Value: textField(1, 256) })).max(200)
const ResourceArn = textField(
  1,
  1011,
  '^arn:aws(-[a-z]+)?:scheduler:[a-z0-9\\-]+:\\d{12}:schedule-group\\/[0-9a-zA-Z-_.]+$',
)

const groupsOf = (account: EventsAccount) => account.store.collection<GroupRecord>('group')

export function findGroup(account: EventsAccount, name: string): GroupRecord {
  const group = groupsOf(account).get(name)
  if (!group) throw resourceNotFound(`Schedule group ${name} does not exist.`, 404)
  return group
}

export function createDefaultGroup(account: EventsAccount): void {
  const at = account.now()
  if (!groupsOf(account).get('default'))
    groupsOf(account).put('default', { name: 'default', tags: {}, createdAt: at, modifiedAt: at })
}

const groupArn = ({ region, accountId }: EventsAccount, name: string) =>
  `arn:aws:scheduler:${region}:${accountId}:schedule-group/${name}`

const describe = (account: EventsAccount, group: GroupRecord) => ({
  Arn: groupArn(account, group.name),
  Name: group.name,
  State: 'ACTIVE',
  CreationDate: group.createdAt / 1000,
  LastModificationDate: group.modifiedAt / 1000,
})

const ListScheduleGroups = z.object({
  NamePrefix: GroupName.optional(),
  MaxResults: z.coerce.number().int().min(1).max(100).default(100),
  NextToken: textField(1, 2048).optional(),
})

export const scheduleGroupOperations = {
  CreateScheduleGroup(account: EventsAccount, body: unknown) {
    const members = readMembers(Ref.extend({ Tags: Tags.default([]) }), body)
    const { Name } = members
    return runOncePerToken(account, 'CreateScheduleGroup', members, () => {
      if (groupsOf(account).get(Name))
        throw new ApiError('ConflictException', `Schedule group ${Name} already exists.`, 409)
      const at = account.now()
      groupsOf(account).put(Name, { name: Name, tags: tagsOf(members.Tags), createdAt: at, modifiedAt: at })
      return { ScheduleGroupArn: groupArn(account, Name) }
    })
  },

  GetScheduleGroup(account: EventsAccount, body: unknown) {
    return describe(account, findGroup(account, readMembers(Ref, body).Name))
  },

  DeleteScheduleGroup(account: EventsAccount, body: unknown) {
    const ref = readMembers(Ref, body)
    if (ref.Name === 'default') throw validationError('Default schedule group cannot be deleted.')
    return runOncePerToken(account, 'DeleteScheduleGroup', ref, () => {
      groupsOf(account).delete(findGroup(account, ref.Name).name)
      // "Deleting a schedule group results in EventBridge Scheduler deleting all schedules associated with the group."
      const schedules = account.store.collection<{ readonly GroupName: string; readonly Name: string }>(
        'schedule',
      )
      for (const { GroupName, Name } of schedules.list())
        if (GroupName === ref.Name) schedules.delete(`${GroupName}/${Name}`)
      return {}
    })
  },

  ListScheduleGroups(account: EventsAccount, body: unknown) {
    const { NamePrefix = '', MaxResults, NextToken } = readMembers(ListScheduleGroups, body)
    const groups = groupsOf(account)
      .list()
      .filter(({ name }) => name.startsWith(NamePrefix))
    const { items, next } = paginate(groups, (group) => group.name, { token: NextToken, limit: MaxResults })
    return { ScheduleGroups: items.map((group) => describe(account, group)), ...next }
  },

  ListTagsForResource(account: EventsAccount, body: unknown) {
    const group = groupByArn(account, readMembers(z.object({ ResourceArn }), body).ResourceArn)
    return { Tags: tagList(group.tags) }
  },

  TagResource(account: EventsAccount, body: unknown) {
    const { ResourceArn: arn, Tags: added } = readMembers(z.object({ ResourceArn, Tags }), body)
    return retag(account, arn, (tags) => tagsOf(added, tags))
  },

  UntagResource(account: EventsAccount, body: unknown) {
    const { ResourceArn: arn, TagKeys } = readMembers(
      z.object({ ResourceArn, TagKeys: z.array(textField(1, 128)).max(200) }),
      body,
    )
    return retag(account, arn, (tags) => withoutTags(tags, TagKeys))
  },
}

function groupByArn(account: EventsAccount, arn: string): GroupRecord {
  const name = arn.slice(arn.indexOf('/') + 1)
  if (arn !== groupArn(account, name)) throw resourceNotFound(`Schedule group ${name} does not exist.`, 404)
  return findGroup(account, name)
}

function retag(account: EventsAccount, arn: string, change: (tags: TagRecord) => TagRecord) {
  return account.store.commit(() => {
    const group = groupByArn(account, arn)
    groupsOf(account).put(group.name, { ...group, tags: change(group.tags), modifiedAt: account.now() })
    return {}
  })
}
