// Tags of event buses and rules. https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_TagResource.html
import * as z from 'zod'
import type { Account } from './account.ts'
import { busesOf, findBus } from './buses.ts'
import { notFound } from './errors.ts'
import { readMembers, Tags, text } from './request-params.ts'
import { findRule, updateRule } from './rules.ts'
import { type TagRecord, tagList, tagsOf, withoutTags } from './tags.ts'

const ResourceARN = text(1, 1600)

/** A bus or a rule, with the way to give it other tags. */
function tagged(account: Account, arn: string): { tags: TagRecord; save: (tags: TagRecord) => void } {
  const start = `arn:aws:events:${account.region}:${account.accountId}:`
  const [kind, first = '', second] = arn.startsWith(start) ? arn.slice(start.length).split('/') : []
  if (kind === 'event-bus') {
    const bus = findBus(account, first)
    return { tags: bus.tags, save: (tags) => busesOf(account).put(bus.name, { ...bus, tags }) }
  }
  if (kind !== 'rule') throw notFound(`Resource ${arn} does not exist.`)
  const rule = second === undefined ? findRule(account, first, 'default') : findRule(account, second, first)
  return { tags: rule.tags, save: (tags) => updateRule(account, { ...rule, tags }) }
}

function retag(account: Account, arn: string, change: (tags: TagRecord) => TagRecord) {
  return account.store.commit(() => {
    const { tags, save } = tagged(account, arn)
    save(change(tags))
    return {}
  })
}

export const eventTagOperations = {
  ListTagsForResource(account: Account, body: unknown) {
    const members = readMembers(z.object({ ResourceARN }), body)
    return { Tags: tagList(tagged(account, members.ResourceARN).tags) }
  },

  TagResource(account: Account, body: unknown) {
    const members = readMembers(z.object({ ResourceARN, Tags }), body)
    return retag(account, members.ResourceARN, (tags) => tagsOf(members.Tags, tags))
  },

  UntagResource(account: Account, body: unknown) {
    const members = readMembers(z.object({ ResourceARN, TagKeys: z.array(text(1, 128)) }), body)
    return retag(account, members.ResourceARN, (tags) => withoutTags(tags, members.TagKeys))
  },
}
