import type { QueueId } from '../resources/queues.ts'

/** `convert-av` → `ConvertAv`: ids of resources have no hyphens. */
export const pascalCase = (name: string) =>
  name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

export const queueResourceId = (queue: QueueId) => `${pascalCase(queue)}Queue`
/** For what a function could not work off, or what a function failed to do asynchronously. */
export const deadLetterQueueId = (name: string) => `${pascalCase(name)}DeadLetterQueue`
export const roleId = (functionName: string) => `${pascalCase(functionName)}Role`

/** Name of a queue, or with '' what stands before the image id in all of them. */
export const queueName = (suffix: string) => `\${self:service}-\${sls:stage}-${suffix}`

/** The ARN of a resource of the stack, which CloudFormation fills in. */
export const arnOf = (id: string, attribute = 'Arn') => ({ 'Fn::GetAtt': [id, attribute] })
