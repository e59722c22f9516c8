// Exports only the used parts of the client, so that the lazily loaded bundle contains nothing else.
export { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
