// Tags of event buses and rules. https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_TagResource.html
import * as z from 'zod'
import type { EventsAccount } from './account.ts'
import { findBus, getBusCollection } from './buses.ts'
import { createResourceNotFoundError } from './errors.ts'
import { readMembers, Tags, textField } from './request-params.ts'
import { findRule, updateRule } from './rules.ts'
import { removeTags, type TagRecord, toTagList, toTagRecord } from './tags.ts'

const ResourceARN = textField(1, 1600)

/** Finds a bus or a rule by its ARN; returns its tags and a function that replaces them. */
function findTagged(
  account: EventsAccount,
  arn: string,
): { tags: TagRecord; save: (tags: TagRecord) => void } {
  const start = `arn:aws:events:${account.region}:${account.accountId}:`
  const [kind, firstSegment = '', secondSegment] = arn.startsWith(start)
    ? arn.slice(start.length).split('/')
    : []
  if (kind === 'event-bus') {
    const bus = findBus(account, firstSegment)
    return { tags: bus.tags, save: (tags) => getBusCollection(account).put(bus.name, { ...bus, tags }) }
  }
  if (kind !== 'rule') throw createResourceNotFoundError(`Resource ${arn} does not exist.`)
  const rule =
    secondSegment === undefined
      ? findRule(account, firstSegment, 'default')
      : findRule(account, secondSegment, firstSegment)
  return { tags: rule.tags, save: (tags) => updateRule(account, { ...rule, tags }) }
}

function updateTags(account: EventsAccount, arn: string, changeTags: (tags: TagRecord) => TagRecord) {
  return account.store.commit(() => {
    const { tags, save } = findTagged(account, arn)
    save(changeTags(tags))
    return {}
  })
}

export const eventTagOperations = {
  ListTagsForResource(account: EventsAccount, body: unknown) {
    const members = readMembers(z.object({ ResourceARN }), body)
    return { Tags: toTagList(findTagged(account, members.ResourceARN).tags) }
  },

  TagResource(account: EventsAccount, body: unknown) {
    const members = readMembers(z.object({ ResourceARN, Tags }), body)
    return updateTags(account, members.ResourceARN, (tags) => toTagRecord(members.Tags, tags))
  },

  UntagResource(account: EventsAccount, body: unknown) {
    const members = readMembers(z.object({ ResourceARN, TagKeys: z.array(textField(1, 128)) }), body)
    return updateTags(account, members.ResourceARN, (tags) => removeTags(tags, members.TagKeys))
  },
}
