import { ApiError } from '../signed-api.ts'

type TagList = readonly { readonly Key: string; readonly Value: string }[]
export type TagRecord = Readonly<Record<string, string>>

const maxTags = 50

/** Adds the tags of a list to existing ones. */
export function toTagRecord(list: TagList, existingTags: TagRecord = {}): TagRecord {
  const tags = { ...existingTags, ...Object.fromEntries(list.map(({ Key, Value }) => [Key, Value])) }
  if (Object.keys(tags).length > maxTags)
    throw new ApiError('ValidationException', `A resource can have up to ${maxTags} tags.`)
  return tags
}

export const toTagList = (tags: TagRecord): TagList =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))

export const removeTags = (tags: TagRecord, keys: readonly string[]): TagRecord =>
  Object.fromEntries(Object.entries(tags).filter(([key]) => !keys.includes(key)))
