// Event buses. https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_CreateEventBus.html etc.
import * as z from 'zod'
import { ApiError } from '../signed-api.ts'
import type { EventsAccount } from './account.ts'
import { createLimitExceededError, createResourceNotFoundError, createValidationError } from './errors.ts'
import { paginate, readMembers, rejectField, Tags, textField, wholeNumberField } from './request-params.ts'
import { toTagRecord } from './tags.ts'

interface EventBus {
  readonly name: string
  readonly description?: string
  readonly tags: Readonly<Record<string, string>>
  readonly createdAt: number
  readonly modifiedAt: number
}

const BusName = textField(1, 256, '[/\\.\\-_A-Za-z0-9]+')
export const BusNameOrArn = textField(
  1,
  1600,
  '(arn:aws[\\w-]*:events:[a-z]+-[a-z]+-[\\w-]+:[0-9]{12}:event-bus\\/)?[/\\.\\-_A-Za-z0-9]+',
)
export const Paging = {
  NextToken: textField(1, 2048).optional(),
  Limit: wholeNumberField(1, 100).default(100),
}

const BusMembers = {
  Name: BusName,
  Description: textField(0, 512).optional(),
  KmsKeyIdentifier: rejectField('KmsKeyIdentifier'),
  DeadLetterConfig: rejectField('DeadLetterConfig of an event bus'),
  LogConfig: rejectField('LogConfig'),
}
const CreateEventBus = z.object({
  ...BusMembers,
  EventSourceName: rejectField('EventSourceName'),
  Tags: Tags.default([]),
})
const UpdateEventBus = z.object({ ...BusMembers, Name: BusName.default('default') })

export const getBusCollection = (account: EventsAccount) => account.store.collection<EventBus>('bus')

/** Returns a bus, given its name or ARN. @throws ApiError ResourceNotFoundException if it does not exist */
export function findBus(account: EventsAccount, nameOrArn = 'default'): EventBus {
  const name = parseBusName(account, nameOrArn)
  const bus = getBusCollection(account).get(name)
  if (!bus) throw createResourceNotFoundError(`Event bus ${name} does not exist.`)
  return bus
}

/**
 * Returns the name of a bus from its name or ARN. The ARN of another account is returned unchanged; no bus has it as
 * its name.
 */
export function parseBusName(account: EventsAccount, nameOrArn = 'default'): string {
  const prefix = account.createBusArn('')
  return nameOrArn.startsWith(prefix) ? nameOrArn.slice(prefix.length) : nameOrArn
}

export function createDefaultBus(account: EventsAccount): void {
  const at = account.now()
  if (!getBusCollection(account).get('default'))
    getBusCollection(account).put('default', { name: 'default', tags: {}, createdAt: at, modifiedAt: at })
}

const maxBuses = 100

export const busOperations = {
  CreateEventBus(account: EventsAccount, body: unknown) {
    const { Name, Description, Tags } = readMembers(CreateEventBus, body)
    if (Name.includes('/')) throw createValidationError("Event bus name must not contain '/'.")
    return account.store.commit(() => {
      const buses = getBusCollection(account)
      if (buses.get(Name))
        throw new ApiError('ResourceAlreadyExistsException', `Event bus ${Name} already exists.`)
      if (buses.list().length >= maxBuses) throw createLimitExceededError()
      const at = account.now()
      const description = Description === undefined ? {} : { description: Description }
      buses.put(Name, { name: Name, ...description, tags: toTagRecord(Tags), createdAt: at, modifiedAt: at })
      return { EventBusArn: account.createBusArn(Name), Description }
    })
  },

  UpdateEventBus(account: EventsAccount, body: unknown) {
    const { Name, Description } = readMembers(UpdateEventBus, body)
    return account.store.commit(() => {
      const { description: _, ...bus } = findBus(account, Name)
      const description = Description === undefined ? {} : { description: Description }
      getBusCollection(account).put(bus.name, { ...bus, ...description, modifiedAt: account.now() })
      return { Name: bus.name, Arn: account.createBusArn(bus.name), Description }
    })
  },

  DeleteEventBus(account: EventsAccount, body: unknown) {
    const { Name } = readMembers(z.object({ Name: BusName }), body)
    if (Name === 'default') throw createValidationError('Cannot delete event bus default.')
    return account.store.commit(() => {
      for (const rule of account.store.collection<{ readonly bus: string }>('rule').values())
        if (rule.bus === Name)
          throw createValidationError(`Cannot delete event bus ${Name}. It still has rules.`)
      getBusCollection(account).delete(Name)
      return {}
    })
  },

  DescribeEventBus(account: EventsAccount, body: unknown) {
    const { Name } = readMembers(z.object({ Name: BusNameOrArn.optional() }), body)
    return describe(account, findBus(account, Name))
  },

  ListEventBuses(account: EventsAccount, body: unknown) {
    const {
      NamePrefix = '',
      NextToken,
      Limit,
    } = readMembers(z.object({ ...Paging, NamePrefix: BusName.optional() }), body)
    const namedBus = getBusCollection(account)
      .list()
      .filter(({ name }) => name.startsWith(NamePrefix))
    const { items, next } = paginate(namedBus, (bus) => bus.name, { token: NextToken, limit: Limit })
    return { EventBuses: items.map((bus) => describe(account, bus)), ...next }
  },
}

const describe = (account: EventsAccount, bus: EventBus) => ({
  Name: bus.name,
  Arn: account.createBusArn(bus.name),
  Description: bus.description,
  CreationTime: bus.createdAt / 1000,
  LastModifiedTime: bus.modifiedAt / 1000,
})
