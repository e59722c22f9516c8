import { createOwned, listOwnedIds, removeOwned } from '../aws/owned-records.ts'
import type { Table, Write } from '../aws/table.ts'
import { getWakeShard } from '../jobs/keys.ts'
import { getRunKey, getWorkflowKey, maxWorkflows, Workflow, WorkflowRun } from './workflow.ts'

/** Stores workflows and their runs. */
export class WorkflowStore {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  /** Stores a new workflow; false if the owner has reached the limit. */
  create(workflow: Workflow): Promise<boolean> {
    return createOwned(this.#table, 'WORKFLOW', toRecord(workflow), maxWorkflows)
  }

  async find(id: string): Promise<Workflow | undefined> {
    const item = await this.#table.get(getWorkflowKey(id))
    return item && Workflow.parse(item)
  }

  /** Lists the workflows of an owner, newest first. */
  async list(owner: string): Promise<Workflow[]> {
    const ids = await listOwnedIds(this.#table, 'WORKFLOW', owner)
    const items = await this.#table.getAll(ids.map(getWorkflowKey))
    const workflowsById = new Map(items.map((item) => [item['id'], Workflow.parse(item)]))
    return ids.flatMap((id) => workflowsById.get(id) ?? [])
  }

  /** Stores a changed workflow together with a run. @returns undefined if the workflow was changed concurrently. */
  async change(
    workflowBefore: Workflow,
    nextWorkflow: Workflow,
    run?: WorkflowRun,
  ): Promise<Workflow | undefined> {
    const changedWorkflow = { ...nextWorkflow, version: workflowBefore.version + 1 }
    const writes: Write[] = [
      {
        put: { ...getWorkflowKey(workflowBefore.id), ...toRecord(changedWorkflow) },
        if: { equal: { version: workflowBefore.version } },
      },
      ...(run ? [{ put: { ...getRunKey(run), ...run } }] : []),
    ]
    return (await this.#table.transact(writes)) ? changedWorkflow : undefined
  }

  remove(workflow: Workflow): Promise<boolean> {
    return removeOwned(this.#table, 'WORKFLOW', workflow)
  }

  async run(workflowId: string, id: string): Promise<WorkflowRun | undefined> {
    const item = await this.#table.get(getRunKey({ workflowId, id }))
    return item && WorkflowRun.parse(item)
  }

  /** Reads the last run of each workflow, without runs that have expired. */
  async readLastRuns(workflows: readonly Workflow[]): Promise<ReadonlyMap<string, WorkflowRun>> {
    const keys = workflows.flatMap(({ id: workflowId, lastRun: id }) =>
      id ? getRunKey({ workflowId, id }) : [],
    )
    const items = await this.#table.getAll(keys)
    return new Map(items.map((item) => [String(item['id']), WorkflowRun.parse(item)]))
  }

  /**
   * Reads a page of runs, newest first, that are older than the run `before`; `next` is the last run of the page if
   * there are more.
   */
  async runs(
    workflowId: string,
    { limit, before }: { readonly limit: number; readonly before?: string | undefined },
  ): Promise<{ runs: WorkflowRun[]; next: string | undefined }> {
    const { items, next } = await this.#table.query({
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': getWorkflowKey(workflowId).pk,
        ':first': 'RUN#',
        ':last': before === undefined ? 'RUN#~' : `RUN#${before}`,
      },
      ScanIndexForward: false,
      ConsistentRead: true,
      // One more run is read, because the range includes the run `before`.
      Limit: before === undefined ? limit : limit + 1,
    })
    const runs = items.map((item) => WorkflowRun.parse(item)).filter(({ id }) => id !== before)
    return { runs, next: next && runs.at(-1)?.id }
  }

  /** Changes a run without its workflow. */
  async changeRun(run: WorkflowRun, change: Partial<WorkflowRun>): Promise<void> {
    await this.#table.update(getRunKey(run), { set: change })
  }
}

/** Returns the record of a workflow. Without `wakeAt` (disabled and with no live run), it is in no index. */
const toRecord = (workflow: Workflow) => ({
  ...workflow,
  ...(workflow.wakeAt && { wakeShard: getWakeShard(workflow.id) }),
})
