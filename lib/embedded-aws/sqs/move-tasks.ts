// Message move tasks, which move messages from a dead-letter queue back to their source queues.
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { SqsClock } from './clock.ts'
import { SqsError } from './errors.ts'
import type { ActionInput } from './inputs.ts'
import type { MessageRow } from './messages.ts'
import type { Queue, QueueRegistry } from './queues.ts'
import type { MessageReceiver } from './receiving.ts'
import type { SqsStore } from './store.ts'

interface Task {
  readonly id: string
  readonly source_arn: string
  readonly destination_arn: string | null
  readonly per_second: number | null
  readonly status: 'RUNNING' | 'COMPLETED' | 'CANCELLED' | 'FAILED'
  readonly moved: number
  readonly to_move: number
  readonly failure: string | null
  readonly started_at: number
}

const maxPerSecond = 500
/** Number of messages per transaction if no rate is set. */
const chunkMessages = 500

const queueNotFoundCode = 'AWS.SimpleQueueService.NonExistentQueue'

const Handle = z.object({ taskId: z.string(), sourceArn: z.string() })

const prepareStatements = (store: SqsStore) => ({
  insert: store.prepare(
    `INSERT INTO move_tasks (id, source_arn, destination_arn, per_second, status, to_move, started_at)
     VALUES (?, ?, ?, ?, 'RUNNING', ?, ?)`,
  ),
  find: store.prepare<Task>('SELECT * FROM move_tasks WHERE id = ?'),
  running: store.prepare<Task>("SELECT * FROM move_tasks WHERE status = 'RUNNING'"),
  selectLatest: store.prepare<Task>(
    'SELECT * FROM move_tasks WHERE source_arn = ? ORDER BY started_at DESC, rowid DESC LIMIT ?',
  ),
  progress: store.prepare('UPDATE move_tasks SET moved = moved + ? WHERE id = ?'),
  finish: store.prepare('UPDATE move_tasks SET status = ?, failure = ? WHERE id = ?'),
  countVisible: store.prepare<{ n: number }>(
    'SELECT count(*) AS n FROM messages WHERE queue_id = ? AND visible_at <= ?',
  ),
  visible: store.prepare<MessageRow>(
    'SELECT * FROM messages WHERE queue_id = ? AND visible_at <= ? ORDER BY enqueued_at, seq LIMIT ?',
  ),
  copy: store.prepare(
    `INSERT INTO messages (queue_id, id, group_id, dedup_id, sent_at, enqueued_at, visible_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ),
  moveBody: store.prepare('UPDATE bodies SET seq = ? WHERE seq = ?'),
  erase: store.prepare('DELETE FROM messages WHERE seq = ?'),
})

export class MoveTasks {
  readonly #store: SqsStore
  readonly #queues: QueueRegistry
  readonly #receiver: MessageReceiver
  readonly #clock: SqsClock
  readonly #onError: (error: unknown) => void
  readonly #sql: ReturnType<typeof prepareStatements>
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(
    store: SqsStore,
    queues: QueueRegistry,
    receiver: MessageReceiver,
    clock: SqsClock,
    onError: (error: unknown) => void,
  ) {
    this.#store = store
    this.#queues = queues
    this.#receiver = receiver
    this.#clock = clock
    this.#onError = onError
    this.#sql = prepareStatements(store)
    // Resumes tasks that a restart interrupted.
    for (const task of this.#sql.running.all()) this.#schedule(task.id, task.per_second)
  }

  /** Starts a task; call inside a commit. */
  start({
    SourceArn,
    DestinationArn,
    MaxNumberOfMessagesPerSecond: rate,
  }: ActionInput<'StartMessageMoveTask'>) {
    const source = this.#requireQueue('SourceArn', SourceArn)
    const target =
      DestinationArn === undefined ? source : this.#requireQueue('DestinationArn', DestinationArn)
    const createInvalidValueError = (message: string) =>
      new SqsError('InvalidParameterValueException', message)
    if (this.#queues.listSources(source).length === 0)
      throw createInvalidValueError('Source queue must be configured as a Dead Letter Queue.')
    if (DestinationArn === SourceArn)
      throw createInvalidValueError('Source queue arn and destination queue arn cannot be the same.')
    if (target.settings.fifo !== source.settings.fifo)
      throw createInvalidValueError('The source queue and the destination queue must be of the same type.')
    if (rate !== undefined && (rate < 1 || rate > maxPerSecond))
      throw createInvalidValueError(
        `Value for parameter MaxNumberOfMessagesPerSecond is invalid. Reason: must be between 1 and ${maxPerSecond}.`,
      )
    if (this.#sql.selectLatest.all(SourceArn, 10).some((task) => task.status === 'RUNNING'))
      throw createInvalidValueError(
        'There is already a task running. Only one active task is allowed for a source queue arn at a given time.',
      )
    this.#receiver.dropExpired(source)
    const id = randomUUID()
    const messageCount = this.#sql.countVisible.get(source.id, this.#clock.now())?.n ?? 0
    this.#sql.insert.run(id, SourceArn, DestinationArn ?? null, rate ?? null, messageCount, this.#clock.now())
    this.#schedule(id, rate ?? null)
    return { TaskHandle: encodeHandle({ id, source_arn: SourceArn }) }
  }

  /** Cancels a task; call inside a commit. */
  cancel(handle: string) {
    const parsedHandle = Handle.safeParse(decodeHandle(handle))
    if (!parsedHandle.success)
      throw new SqsError('InvalidParameterValueException', 'Value for parameter TaskHandle is invalid.')
    this.#requireQueue('SourceArn', parsedHandle.data.sourceArn)
    const task = this.#sql.find.get(parsedHandle.data.taskId)
    if (!task || task.source_arn !== parsedHandle.data.sourceArn)
      throw new SqsError('ResourceNotFoundException', 'Task does not exist.')
    if (task.status !== 'RUNNING')
      throw new SqsError('UnsupportedOperation', 'Only active tasks can be cancelled.')
    this.#end(task.id, 'CANCELLED')
    return { ApproximateNumberOfMessagesMoved: task.moved }
  }

  list(sourceArn: string, max: number) {
    this.#requireQueue('SourceArn', sourceArn)
    return {
      Results: this.#sql.selectLatest.all(sourceArn, max).map((task) => ({
        ...(task.status === 'RUNNING' && { TaskHandle: encodeHandle(task) }),
        Status: task.status,
        SourceArn: task.source_arn,
        ...(task.destination_arn !== null && { DestinationArn: task.destination_arn }),
        ...(task.per_second !== null && { MaxNumberOfMessagesPerSecond: task.per_second }),
        ApproximateNumberOfMessagesMoved: task.moved,
        ApproximateNumberOfMessagesToMove: task.to_move,
        ...(task.failure !== null && { FailureReason: task.failure }),
        StartedTimestamp: task.started_at,
      })),
    }
  }

  #requireQueue(parameter: string, arn: string): Queue {
    const queue = this.#queues.findByArn(arn)
    if (!queue)
      throw new SqsError(
        'ResourceNotFoundException',
        `The resource that you specified for the ${parameter} parameter doesn't exist.`,
      )
    return queue
  }

  #schedule(id: string, perSecond: number | null) {
    const pauseMs = perSecond === null ? 1 : Math.max(1000 / perSecond, 20)
    const timer = setTimeout(() => {
      this.#store
        .commit(() => this.#step(id, Math.max(1, Math.round(((perSecond ?? 0) * pauseMs) / 1000))))
        .catch(this.#onError)
    }, pauseMs)
    this.#timers.set(id, timer)
  }

  /** Moves the next few messages. Runs inside a commit, so that a message is in one of the queues, never in both. */
  #step(id: string, maxMessages: number) {
    const task = this.#sql.find.get(id)
    if (task?.status !== 'RUNNING') return
    const source = this.#queues.findByArn(task.source_arn)
    if (!source) return this.#end(id, 'FAILED', queueNotFoundCode)
    const limit = Math.min(task.per_second === null ? chunkMessages : maxMessages, task.to_move - task.moved)
    const rows = limit > 0 ? this.#sql.visible.all(source.id, this.#clock.now(), limit) : []
    let movedCount = 0
    let failure: string | undefined
    for (const row of rows) {
      const target = this.#findTarget(task, row)
      if (typeof target === 'string') {
        failure = target
        break
      }
      this.#move(row, target)
      movedCount += 1
    }
    this.#sql.progress.run(movedCount, id)
    if (failure !== undefined) this.#end(id, 'FAILED', failure)
    else if (rows.length === 0 || task.moved + movedCount >= task.to_move) this.#end(id, 'COMPLETED')
    else this.#schedule(id, task.per_second)
  }

  /** Returns the queue to which a message is moved, or text that says why there is no such queue. */
  #findTarget(task: Task, row: MessageRow): Queue | string {
    const arn = task.destination_arn ?? row.source_arn
    if (arn === null) return 'CouldNotDetermineMessageSource'
    return this.#queues.findByArn(arn) ?? queueNotFoundCode
  }

  /** AWS: "All redriven messages are considered new messages with a new messageID and enqueueTime." */
  #move(row: MessageRow, target: Queue) {
    const at = this.#clock.now()
    const { lastId } = this.#sql.copy.run(
      target.id,
      randomUUID(),
      row.group_id,
      row.dedup_id,
      at,
      this.#clock.getEnqueueTime(),
      at,
    )
    this.#sql.moveBody.run(lastId, row.seq)
    this.#sql.erase.run(row.seq)
    this.#store.markChanged(target.id)
  }

  #end(id: string, status: Task['status'], failure: string | null = null) {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
    this.#sql.finish.run(status, failure, id)
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
  }
}

function encodeHandle(task: Pick<Task, 'id' | 'source_arn'>): string {
  return Buffer.from(JSON.stringify({ taskId: task.id, sourceArn: task.source_arn })).toString('base64')
}

function decodeHandle(handle: string): unknown {
  try {
    return JSON.parse(Buffer.from(handle, 'base64').toString())
  } catch {
    return undefined
  }
}
