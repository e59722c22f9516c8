import type { QueueId } from '../resources/queues.ts'

/** Converts `convert-av` to `ConvertAv`, because CloudFormation resource ids must not contain hyphens. */
export const toPascalCase = (name: string) =>
  name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

export const getQueueResourceId = (queue: QueueId) => `${toPascalCase(queue)}Queue`
/** Returns the id of the dead-letter queue of a queue, or of a function that is invoked asynchronously. */
export const getDeadLetterQueueId = (name: string) => `${toPascalCase(name)}DeadLetterQueue`
/** Returns the framework's name for the resource of a function: `ConvertDashavLambdaFunction` for `convert-av`. */
export const getFunctionResourceId = (name: string) =>
  `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('-', 'Dash')}LambdaFunction`

export const getRoleId = (functionName: string) => `${toPascalCase(functionName)}Role`

/** Returns the name of a queue; for an empty suffix, the prefix of all queue names. */
export const getQueueName = (suffix: string) => `\${self:service}-\${sls:stage}-${suffix}`

/** Returns a reference to the ARN of a resource in the stack, which CloudFormation resolves. */
export const createArnReference = (id: string, attribute = 'Arn') => ({ 'Fn::GetAtt': [id, attribute] })
