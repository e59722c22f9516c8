import type { QueueId } from '../resources/queues.ts'

/** `convert-av` → `ConvertAv`: CloudFormation resource ids must not contain hyphens. */
export const toPascalCase = (name: string) =>
  name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

export const getQueueResourceId = (queue: QueueId) => `${toPascalCase(queue)}Queue`
/** The dead-letter queue of a queue, or of a function that is invoked asynchronously. */
export const getDeadLetterQueueId = (name: string) => `${toPascalCase(name)}DeadLetterQueue`
/** `convert-av` → `ConvertDashavLambdaFunction`, as the framework names the resource of a function. */
export const getFunctionResourceId = (name: string) =>
  `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('-', 'Dash')}LambdaFunction`

export const getRoleId = (functionName: string) => `${toPascalCase(functionName)}Role`

/** Returns the name of a queue, or with '' the prefix of all queue names. */
export const getQueueName = (suffix: string) => `\${self:service}-\${sls:stage}-${suffix}`

/** Returns a reference to the ARN of a resource in the stack, which CloudFormation resolves. */
export const createArnReference = (id: string, attribute = 'Arn') => ({ 'Fn::GetAtt': [id, attribute] })
