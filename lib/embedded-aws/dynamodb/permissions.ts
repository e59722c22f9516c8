// Lists the permissions that a DynamoDB call needs.
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html

type Values = Readonly<Record<string, { readonly S?: string }>>

/** The members of a request that name its tables and keys. */
export interface Input {
  readonly TableName?: string
  readonly IndexName?: string
  readonly Key?: Values
  readonly Item?: Values
  readonly KeyConditionExpression?: string
  readonly ExpressionAttributeValues?: Values
  readonly RequestItems?: Readonly<Record<string, Batch>>
  readonly TransactItems?: readonly Readonly<Record<string, Input>>[]
}

export type Batch =
  | { readonly Keys: readonly Values[] }
  | readonly {
      readonly PutRequest?: { readonly Item: Values }
      readonly DeleteRequest?: { readonly Key: Values }
    }[]

interface RequiredPermission {
  readonly action: string
  readonly table: string
  readonly index?: string | undefined
  /** Partition keys that the call accesses; undefined if it names none. */
  readonly leadingKeys?: readonly string[]
}

/**
 * Returns the permissions that a call needs. A transaction needs the permission for each of its operations; a batch
 * needs the permission for the batch operation.
 */
export function listRequiredPermissions(operation: string, input: Input): RequiredPermission[] {
  if (operation === 'TransactWriteItems' || operation === 'TransactGetItems')
    return (input.TransactItems ?? []).flatMap((transactItem) =>
      Object.entries(transactItem).map(([kind, of]) => getRequiredPermission(itemActions[kind] ?? kind, of)),
    )
  if (input.RequestItems)
    return Object.entries(input.RequestItems).map(([table, batch]) => ({
      action: `dynamodb:${operation}`,
      table,
      leadingKeys: listPartitionKeys(batch),
    }))
  return [getRequiredPermission(operation, input)]
}

const itemActions: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
}

function getRequiredPermission(operation: string, input: Input): RequiredPermission {
  const { TableName = '', IndexName, Key, Item } = input
  const key = (Key ?? Item)?.['pk']?.S ?? getPartitionKey(input)
  return {
    action: `dynamodb:${operation}`,
    // TableName may be a name or an ARN.
    table: TableName.replace(/^.*\//, ''),
    index: IndexName,
    ...(key !== undefined && { leadingKeys: [key] }),
  }
}

/** Returns the partition key of a query. Its condition must start with the key, as in all queries of this service. */
function getPartitionKey({ KeyConditionExpression = '', ExpressionAttributeValues = {} }: Input) {
  const name = /^\s*#?\w+\s*=\s*(:\w+)/.exec(KeyConditionExpression)?.[1]
  return name === undefined ? undefined : ExpressionAttributeValues[name]?.S
}

export function listPartitionKeys(batch: Batch): string[] {
  const items: readonly (Values | undefined)[] =
    'Keys' in batch
      ? batch.Keys
      : batch.map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key)
  return [...new Set(items.map((item) => item?.['pk']?.S ?? ''))]
}
