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
import type { CommandSender } from '../../lib/aws/table.ts'

/** Simulates failures that occur on AWS but not in the embedded table. Gets a command and a function that sends it. */
export type TableBehavior = (
  command: unknown,
  send: (command: unknown) => Promise<unknown>,
) => Promise<unknown>

export const passThrough: TableBehavior = (command, send) => send(command)

export const isWrite = (command: unknown) =>
  command instanceof UpdateCommand ||
  command instanceof PutCommand ||
  command instanceof DeleteCommand ||
  command instanceof BatchWriteCommand ||
  command instanceof TransactWriteCommand

/** A seeded random number generator (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixedBits = Math.imul(state ^ (state >>> 15), 1 | state)
    mixedBits = (mixedBits + Math.imul(mixedBits ^ (mixedBits >>> 7), 61 | mixedBits)) ^ mixedBits
    return ((mixedBits ^ (mixedBits >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Rejects writes because of conflicting transactions, without writing anything. */
export function rejectWrites(probability: number, random: () => number): TableBehavior {
  return async (command, send) => {
    if (random() < probability) {
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

/** Applies a write and loses its response, so that the SDK repeats the write and returns the second response. */
export function loseResponses(probability: number, random: () => number): TableBehavior {
  return async (command, send) => {
    if (!isWrite(command) || random() >= probability) return send(command)
    const firstResponse = await send(command)
    // AWS recognizes repeated transactions by their token.
    return command instanceof TransactWriteCommand ? firstResponse : send(command)
  }
}

/**
 * Applies a write, but fails without a response, even after retries of the SDK. Fails only once, because each claim
 * that fails like this costs a task one of its three attempts, like the death of a worker.
 */
export function loseResponseOnce(probability: number, random: () => number): TableBehavior {
  let isDone = false
  return async (command, send) => {
    const response = await send(command)
    if (isDone || !isWrite(command) || random() >= probability) return response
    isDone = true
    throw new Error('the table does not respond')
  }
}

/** Processes only part of each batch. */
export function processPartially(probability: number, random: () => number): TableBehavior {
  return async (command, send) => {
    if (random() >= probability) return send(command)
    if (command instanceof BatchWriteCommand) {
      const [[table, requests = []] = ['', []]] = Object.entries(command.input.RequestItems ?? {})
      const writtenCount = Math.floor(requests.length * random())
      const unprocessedReply = { UnprocessedItems: { [table]: requests.slice(writtenCount) } }
      if (writtenCount > 0)
        await send(new BatchWriteCommand({ RequestItems: { [table]: requests.slice(0, writtenCount) } }))
      return unprocessedReply
    }
    if (command instanceof BatchGetCommand) {
      const [[table, wantedKeys] = ['', undefined]] = Object.entries(command.input.RequestItems ?? {})
      const keys = wantedKeys?.Keys ?? []
      const writtenCount = Math.floor(keys.length * random())
      const UnprocessedKeys = { [table]: { ...wantedKeys, Keys: keys.slice(writtenCount) } }
      if (writtenCount === 0) return { Responses: {}, UnprocessedKeys }
      const request = { RequestItems: { [table]: { ...wantedKeys, Keys: keys.slice(0, writtenCount) } } }
      const answer = (await send(new BatchGetCommand(request))) as object // the response of the client
      return { ...answer, UnprocessedKeys }
    }
    return send(command)
  }
}

/** Nests the behaviors in each other. */
export const combineBehaviors =
  (...behaviors: readonly TableBehavior[]): TableBehavior =>
  (command, send) =>
    behaviors.reduceRight<(command: unknown) => Promise<unknown>>(
      (next, behavior) => (one) => behavior(one, next),
      send,
    )(command)

export const createClient = (send: (command: unknown) => Promise<unknown>): CommandSender =>
  // The client's type has an overload per command; here all commands are handled the same way.
  ({ send: send as DynamoDBDocumentClient['send'] })
