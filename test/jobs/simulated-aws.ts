import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import type { Send } from '../../lib/aws/table.ts'

/** What the embedded table never does and AWS does. Each takes a command and how it is sent on. */
export type Manner = (command: unknown, send: (command: unknown) => Promise<unknown>) => Promise<unknown>

export const asItIs: Manner = (command, send) => send(command)

export const isWrite = (command: unknown) =>
  command instanceof UpdateCommand ||
  command instanceof PutCommand ||
  command instanceof DeleteCommand ||
  command instanceof BatchWriteCommand ||
  command instanceof TransactWriteCommand

/** The same chances for the same seed (mulberry32). */
export function chances(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Writes meet transactions of others: they are refused, and nothing is written. */
export function conflicts(share: number, chance: () => number): Manner {
  return async (command, send) => {
    if (chance() < share) {
      const message = 'Transaction is ongoing for the item'
      if (command instanceof UpdateCommand || command instanceof PutCommand)
        throw new TransactionConflictException({ message, $metadata: {} })
      if (command instanceof TransactWriteCommand) {
        const reasons = command.input.TransactItems?.map((_, at) => ({
          Code: at === 0 ? 'TransactionConflict' : 'None',
        }))
        throw new TransactionCanceledException({ message, CancellationReasons: reasons ?? [], $metadata: {} })
      }
    }
    return send(command)
  }
}

/** A write is applied, its answer is lost, and the SDK writes it again: that answer is the one that comes. */
export function lostAnswers(share: number, chance: () => number): Manner {
  return async (command, send) => {
    if (!isWrite(command) || chance() >= share) return send(command)
    const first = await send(command)
    // Of a transaction AWS knows the repetition by its token.
    return command instanceof TransactWriteCommand ? first : send(command)
  }
}

/**
 * A write is applied, and no answer comes however often the SDK asks. Once in a while: each claim that goes this way
 * costs a task one of its three attempts, as the death of a worker does.
 */
export function silence(share: number, chance: () => number): Manner {
  let isOver = false
  return async (command, send) => {
    const answer = await send(command)
    if (isOver || !isWrite(command) || chance() >= share) return answer
    isOver = true
    throw new Error('the table does not answer')
  }
}

/** Batches are taken in part. */
export function unprocessed(share: number, chance: () => number): Manner {
  return async (command, send) => {
    if (chance() >= share) return send(command)
    if (command instanceof BatchWriteCommand) {
      const [[table, requests = []] = ['', []]] = Object.entries(command.input.RequestItems ?? {})
      const taken = Math.floor(requests.length * chance())
      const left = { UnprocessedItems: { [table]: requests.slice(taken) } }
      if (taken > 0)
        await send(new BatchWriteCommand({ RequestItems: { [table]: requests.slice(0, taken) } }))
      return left
    }
    if (command instanceof BatchGetCommand) {
      const [[table, wanted] = ['', undefined]] = Object.entries(command.input.RequestItems ?? {})
      const keys = wanted?.Keys ?? []
      const taken = Math.floor(keys.length * chance())
      const UnprocessedKeys = { [table]: { ...wanted, Keys: keys.slice(taken) } }
      if (taken === 0) return { Responses: {}, UnprocessedKeys }
      const request = { RequestItems: { [table]: { ...wanted, Keys: keys.slice(0, taken) } } }
      const answer = (await send(new BatchGetCommand(request))) as object // as the client answers it
      return { ...answer, UnprocessedKeys }
    }
    return send(command)
  }
}

/** One around the other. */
export const together =
  (...manners: readonly Manner[]): Manner =>
  (command, send) =>
    manners.reduceRight<(command: unknown) => Promise<unknown>>(
      (next, manner) => (one) => manner(one, next),
      send,
    )(command)

export const clientOf = (send: (command: unknown) => Promise<unknown>): Send =>
  // The client's own type has an overload for each command; here all of them go the same way.
  ({ send: send as unknown as DynamoDBDocumentClient['send'] })
