// What is used of the client, so that a bundle that loads it later has no more of it.
export { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
