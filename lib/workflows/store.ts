import type { Table, Write } from '../aws/table.ts'
import { wakeShardOf } from '../jobs/keys.ts'
import { createOwned, ownedIds, removeOwned } from '../owned-records.ts'
import { maxWorkflows, runKey, Workflow, WorkflowRun, workflowKey } from './workflow.ts'

/** Records of workflows and of their runs. */
export class WorkflowStore {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  /** False when the owner has as many as there may be. */
  create(workflow: Workflow): Promise<boolean> {
    return createOwned(this.#table, 'WORKFLOW', recordOf(workflow), maxWorkflows)
  }

  async find(id: string): Promise<Workflow | undefined> {
    const item = await this.#table.get(workflowKey(id))
    return item && Workflow.parse(item)
  }

  /** The newest first. */
  async list(owner: string): Promise<Workflow[]> {
    const ids = await ownedIds(this.#table, 'WORKFLOW', owner)
    const items = await this.#table.getAll(ids.map(workflowKey))
    const found = new Map(items.map((item) => [item['id'], Workflow.parse(item)]))
    return ids.flatMap((id) => found.get(id) ?? [])
  }

  /**
   * Stores what was made of a workflow, and a run with it.
   * @returns undefined when somebody has changed the workflow meanwhile.
   */
  async change(before: Workflow, next: Workflow, run?: WorkflowRun): Promise<Workflow | undefined> {
    const changed = { ...next, version: before.version + 1 }
    const writes: Write[] = [
      {
        put: { ...workflowKey(before.id), ...recordOf(changed) },
        if: { equal: { version: before.version } },
      },
      ...(run ? [{ put: { ...runKey(run), ...run } }] : []),
    ]
    return (await this.#table.transact(writes)) ? changed : undefined
  }

  remove(workflow: Workflow): Promise<boolean> {
    return removeOwned(this.#table, 'WORKFLOW', workflow)
  }

  async run(workflowId: string, id: string): Promise<WorkflowRun | undefined> {
    const item = await this.#table.get(runKey({ workflowId, id }))
    return item && WorkflowRun.parse(item)
  }

  /** Those of these workflows' last runs that are still known, by their ids. */
  async lastRuns(workflows: readonly Workflow[]): Promise<ReadonlyMap<string, WorkflowRun>> {
    const keys = workflows.flatMap(({ id: workflowId, lastRun: id }) =>
      id ? runKey({ workflowId, id }) : [],
    )
    const items = await this.#table.getAll(keys)
    return new Map(items.map((item) => [String(item['id']), WorkflowRun.parse(item)]))
  }

  /** A page of runs, the newest first, from before a run; `next` is the last of them where there are more. */
  async runs(
    workflowId: string,
    { limit, before }: { readonly limit: number; readonly before?: string | undefined },
  ): Promise<{ runs: WorkflowRun[]; next: string | undefined }> {
    const { items, next } = await this.#table.query({
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': workflowKey(workflowId).pk,
        ':first': 'RUN#',
        ':last': before === undefined ? 'RUN#~' : `RUN#${before}`,
      },
      ScanIndexForward: false,
      ConsistentRead: true,
      // The run that the page begins before is found too.
      Limit: before === undefined ? limit : limit + 1,
    })
    const runs = items.map((item) => WorkflowRun.parse(item)).filter(({ id }) => id !== before)
    return { runs, next: next && runs.at(-1)?.id }
  }

  /** A change of a run alone. */
  async changeRun(run: WorkflowRun, change: Partial<WorkflowRun>): Promise<void> {
    await this.#table.update(runKey(run), { set: change })
  }
}

/** Switched off and with nothing under way it is in no index. */
const recordOf = (workflow: Workflow) => ({
  ...workflow,
  ...(workflow.wakeAt && { wakeShard: wakeShardOf(workflow.id) }),
})
